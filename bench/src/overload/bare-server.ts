import { progress } from '../runner.ts';
import { median } from '../stats.ts';
import { closedLoop } from './load.ts';
import type { OverloadPlan } from './plan.ts';
import type { Setup } from './protocol.ts';
import type { Resource } from './resources.ts';
import { saturating } from './server-case.ts';
import { ServerProcess } from './server-process.ts';

type Plan = Pick<OverloadPlan, 'capacity' | 'ownConnections'>;

/** A server without a limit, whose capacity is measured again and again, so that drift of the machine cancels out. */
export class BareServer {
  /** All measurements of the capacity in requests per second. The loads are multiples of the first. */
  readonly capacities: number[] = [];

  private constructor(
    private readonly process: ServerProcess,
    private readonly plan: Plan,
  ) {}

  static async start(resource: Resource, setup: Setup, plan: Plan): Promise<BareServer> {
    const started = await ServerProcess.start({ ...setup, server: 'bare', resource });
    const server = new BareServer(started, plan);
    progress(`${resource}: capacity`);
    try {
      await server.#measure();
      const first = [await server.#measure(), await server.#measure(), await server.#measure()];
      server.capacities.push(median(first));
      return server;
    } catch (error) {
      server.stop();
      throw error;
    }
  }

  get first(): number {
    return this.capacities[0] as number;
  }

  /** Measures the capacity again, and resolves to the mean of this measurement and the one before. */
  async capacity(): Promise<number> {
    const before = this.capacities.at(-1) as number;
    const after = await this.#measure();
    this.capacities.push(after);
    return (before + after) / 2;
  }

  stop(): void {
    this.process.stop();
    progress('');
  }

  async #measure(): Promise<number> {
    const route = { port: this.process.port, ownConnections: this.plan.ownConnections };
    return (await closedLoop(route, saturating, this.plan.capacity)).rate;
  }
}
