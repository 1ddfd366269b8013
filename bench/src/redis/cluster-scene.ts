import { type RedisCluster, startCluster } from '@headgate/test-servers';
import { cpuTime } from '../distributed/cpu-time.ts';
import type { MeasuredScene } from '../distributed/growth.ts';
import { Scene, type WorkerOptions } from '../distributed/scene.ts';
import type { WorkerProcess } from '../distributed/worker-process.ts';
import { connect } from './connect.ts';
import type { RedisSetting } from './contenders/setting.ts';

/** A Redis Cluster of masters only. */
export class ClusterScene extends Scene implements MeasuredScene {
  readonly #cluster: RedisCluster;

  /** Runs a function with a scene. */
  static async during<T>(nodes: number, use: (scene: ClusterScene) => Promise<T>): Promise<T> {
    const scene = new ClusterScene(await startCluster(nodes));
    try {
      return await use(scene);
    } finally {
      await scene.end();
    }
  }

  private constructor(cluster: RedisCluster) {
    super(new URL('./worker.js', import.meta.url));
    this.#cluster = cluster;
  }

  workers(count: number, options: WorkerOptions): Promise<WorkerProcess[]> {
    const [first] = this.#cluster.nodes;
    const settings: WorkerOptions & Partial<RedisSetting> = { ...options, isCluster: true };
    return this.start(count, first?.port ?? Number.NaN, settings);
  }

  cpu(): number[] {
    return this.#cluster.nodes.map(({ pid }) => cpuTime(pid));
  }

  protected async forget(): Promise<void> {
    for (const { port } of this.#cluster.nodes) {
      const client = await connect(port);
      await client.flushall();
      client.disconnect();
    }
  }

  protected stop(): Promise<void> {
    return this.#cluster.stop();
  }
}
