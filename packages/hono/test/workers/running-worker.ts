import { startWorkerd, type WorkerdServer } from '@headgate/test-servers';
import { Call, RawSocket } from '@headgate/test-suite';
import { expect, vi } from 'vitest';

interface Stats {
  readonly holders: number;
  readonly queued: number;
  readonly withdrawn: number;
  readonly admitted: number;
  readonly leaked: number;
}

/** A Worker with a limit, which reports its statistics at `/stats`. */
export class RunningWorker {
  static async start(program: URL): Promise<RunningWorker> {
    const app = { program, flags: ['enable_request_signal'] };
    const caller = {
      program: new URL('caller.ts', import.meta.url),
      bindings: { APP: 'app' },
    };
    return new RunningWorker(await startWorkerd({ app, caller }));
  }

  private constructor(private readonly server: WorkerdServer) {}

  call(path: string): Call {
    return new Call(this.server.port('app'), path, {});
  }

  /** A request to the Worker that calls the other one through a service binding. */
  caller(path: string): Call {
    return new Call(this.server.port('caller'), path, {});
  }

  raw(path: string): RawSocket {
    const client = new RawSocket(this.server.port('app'));
    client.request(`GET ${path}`);
    return client;
  }

  async stats(): Promise<Stats> {
    return JSON.parse((await this.call('/stats').answer()).body);
  }

  /** Waits until the limit has these counts. */
  async counts(holders: number, queued = 0): Promise<void> {
    await vi.waitFor(async () => expect(await this.stats()).toMatchObject({ holders, queued }), {
      interval: 20,
      timeout: 10_000,
    });
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}
