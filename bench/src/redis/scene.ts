import { type FaultyProxy, type RedisServer, startProxy, startRedis } from '@headgate/test-servers';
import type { Redis } from 'ioredis';
import { cpuTime } from '../distributed/cpu-time.ts';
import { Scene, type WorkerOptions } from '../distributed/scene.ts';
import type { WorkerProcess } from '../distributed/worker-process.ts';
import { connect } from './connect.ts';
import type { RedisSetting } from './contenders/setting.ts';
import { type ScriptCost, scriptCost } from './script-cost.ts';
import type { RedisTasks } from './tasks.ts';

export interface RedisWorkerOptions extends WorkerOptions, Partial<Pick<RedisSetting, 'commands'>> {
  /** Whether to connect through the proxy, which costs time. Default: false. */
  counted?: boolean;
}

/** A Redis server, reachable directly and through a counting proxy. */
export class RedisScene extends Scene<RedisTasks> {
  readonly #server: RedisServer;
  readonly #proxy: FaultyProxy;
  /** A connection for queries about Redis itself. */
  readonly control: Redis;

  /** Runs a function with a scene. */
  static async during<T>(use: (scene: RedisScene) => Promise<T>): Promise<T> {
    const server = await startRedis();
    const scene = new RedisScene(server, await startProxy(server), await connect(server.port));
    try {
      return await use(scene);
    } finally {
      await scene.end();
    }
  }

  private constructor(server: RedisServer, proxy: FaultyProxy, control: Redis) {
    super(new URL('./worker.js', import.meta.url));
    this.#server = server;
    this.#proxy = proxy;
    this.control = control;
  }

  /** Number of client requests seen by the proxy. */
  get commands(): number {
    return this.#proxy.commands;
  }

  workers(
    count: number,
    { counted = false, ...options }: RedisWorkerOptions,
  ): Promise<WorkerProcess<RedisTasks>[]> {
    const { port } = counted ? this.#proxy : this.#server;
    return this.start(count, port, options);
  }

  cpu(): number[] {
    return [cpuTime(this.#server.pid)];
  }

  /** The cost of scripts since the previous call. */
  async scriptCost(): Promise<ScriptCost> {
    const info = await this.control.info('commandstats');
    await this.control.config('RESETSTAT');
    return scriptCost(info);
  }

  protected forget(): Promise<unknown> {
    return this.control.flushall();
  }

  protected async stop(): Promise<void> {
    this.control.disconnect();
    await this.#proxy.stop();
    await this.#server.stop();
  }
}
