import { afterAll, afterEach } from 'vitest';
import type { Settings } from './instance.ts';
import { Limited } from './limited.ts';
import { WorkerProcess } from './worker-process.ts';

interface Server {
  readonly port: number;
}

type Options = Settings['limiter'] & Partial<Omit<Settings, 'limiter'>>;

let names = 0;

/** The processes of a file's tests: those that survive one serve the next. */
export class Crew {
  readonly #spare: WorkerProcess[] = [];
  readonly #limited: Limited[] = [];

  /** One process each, which share a limit of a name that no other test uses. */
  async start(count: number, server: Server | readonly Server[], options: Options) {
    // Patient: a busy machine is not an outage.
    const {
      library,
      client,
      lease = 10_000,
      timeout = Math.min(lease / 3, 3_000),
      ...limiter
    } = options;
    const ports = [server].flat().map(({ port }) => port);
    const name = `limit ${++names}`;
    const settings = {
      ports,
      library,
      client,
      lease,
      timeout,
      limiter: { name, queueLimit: 1_000, queueTimeout: 20_000, ...limiter },
    };
    return Promise.all(Array.from({ length: count }, () => this.#start(settings as Settings)));
  }

  async #start(settings: Settings): Promise<Limited> {
    const worker = this.#spare.pop() ?? (await WorkerProcess.start());
    let at = 0;
    const limited = new Limited(worker, () => at);
    this.#limited.push(limited);
    at = await worker.make(settings, (happening) => limited.happened(happening));
    return limited;
  }

  /** @throws Error where a process has died that nobody has killed. */
  async rest(): Promise<void> {
    const limited = this.#limited.splice(0);
    await Promise.all(limited.map((one) => this.#end(one)));
    const troubles = limited.flatMap(({ worker }) => worker.trouble ?? []);
    if (troubles.length > 0) throw new Error(troubles.join('\n'));
  }

  async #end(limited: Limited): Promise<void> {
    const { worker } = limited;
    worker.thaw();
    if (!worker.isGone) await limited.do('end');
    if (!worker.isGone) this.#spare.push(worker);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#spare.splice(0).map((worker) => worker.kill()));
  }
}

/** For the tests of one file. */
export function useCrew(): Crew {
  const crew = new Crew();
  afterEach(() => crew.rest());
  afterAll(() => crew.stop());
  return crew;
}
