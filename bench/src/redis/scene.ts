import { type FaultyProxy, type RedisServer, startProxy, startRedis } from '@headgate/test-servers';
import type { Redis } from 'ioredis';
import { connect } from './connect.ts';
import type { Setting } from './contenders/contender.ts';
import { type ScriptCost, scriptCost } from './script-cost.ts';
import { WorkerProcess } from './worker-process.ts';

/** The settings that most have. */
const usual = { limit: 10, lease: 10_000 };

/** A Redis of its own, directly and through a proxy that counts, and the processes that share limits there. */
export class Scene {
  readonly #server: RedisServer;
  readonly #proxy: FaultyProxy;
  readonly #workers: WorkerProcess[] = [];
  /** For what is asked of Redis itself. */
  readonly control: Redis;

  /** For as long as the function takes. */
  static async during<T>(use: (scene: Scene) => Promise<T>): Promise<T> {
    const server = await startRedis();
    const scene = new Scene(server, await startProxy(server), await connect(server.port));
    try {
      return await use(scene);
    } finally {
      await scene.#end();
    }
  }

  private constructor(server: RedisServer, proxy: FaultyProxy, control: Redis) {
    this.#server = server;
    this.#proxy = proxy;
    this.control = control;
  }

  /** Client requests that the proxy has seen. */
  get commands(): number {
    return this.#proxy.commands;
  }

  /** So many processes that share a limit. */
  workers(
    count: number,
    { counted = false, ...setting }: Pick<Setting, 'contender'> & Partial<Setting> & Counted,
  ): Promise<WorkerProcess[]> {
    const { port } = counted ? this.#proxy : this.#server;
    const complete = { port, name: setting.contender, ...usual, ...setting };
    return Promise.all(Array.from({ length: count }, () => this.#worker(complete)));
  }

  /** What scripts cost since the last time this was asked. */
  async scriptCost(): Promise<ScriptCost> {
    const info = await this.control.info('commandstats');
    await this.control.config('RESETSTAT');
    return scriptCost(info);
  }

  /** Ends all processes, and forgets their limits. */
  async clear(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop()));
    await this.control.flushall();
  }

  async #worker(setting: Setting): Promise<WorkerProcess> {
    const worker = await WorkerProcess.start(setting);
    this.#workers.push(worker);
    return worker;
  }

  async #end(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.kill()));
    this.control.disconnect();
    await this.#proxy.stop();
    await this.#server.stop();
  }
}

interface Counted {
  /** Whether to speak through the proxy, which takes time. Default: false. */
  counted?: boolean;
}
