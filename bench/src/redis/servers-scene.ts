import { type RedisServer, startCluster, startRedis } from '@headgate/test-servers';
import { cpuTime } from '../distributed/cpu-time.ts';
import type { MeasuredScene } from '../distributed/growth.ts';
import { Scene, type WorkerOptions } from '../distributed/scene.ts';
import type { WorkerProcess } from '../distributed/worker-process.ts';
import { connect } from './connect.ts';
import type { RedisSetting } from './contenders/setting.ts';

/** Servers that share the limits. */
export interface Servers {
  count: number;
  /** Whether they are the masters of a cluster; otherwise each limit is given one of them. */
  isCluster: boolean;
}

export class ServersScene extends Scene implements MeasuredScene {
  readonly #servers: readonly RedisServer[];
  readonly #isCluster: boolean;

  /** Runs a function with a scene. */
  static async during<T>(
    { count, isCluster }: Servers,
    use: (scene: ServersScene) => Promise<T>,
  ): Promise<T> {
    const servers = isCluster
      ? (await startCluster(count)).nodes
      : await Promise.all(Array.from({ length: count }, () => startRedis()));
    const scene = new ServersScene(servers, isCluster);
    try {
      return await use(scene);
    } finally {
      await scene.end();
    }
  }

  private constructor(servers: readonly RedisServer[], isCluster: boolean) {
    super(new URL('./worker.js', import.meta.url));
    this.#servers = servers;
    this.#isCluster = isCluster;
  }

  workers(count: number, options: WorkerOptions): Promise<WorkerProcess[]> {
    const ports = this.#servers.map(({ port }) => port);
    const [first = Number.NaN] = ports;
    const where: Partial<RedisSetting> = this.#isCluster ? { isCluster: true } : { ports };
    return this.start(count, first, { ...options, ...where });
  }

  cpu(): number[] {
    return this.#servers.map(({ pid }) => cpuTime(pid));
  }

  protected async forget(): Promise<void> {
    for (const { port } of this.#servers) {
      const client = await connect(port);
      await client.flushall();
      client.disconnect();
    }
  }

  protected async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
  }
}
