import { createRequire } from 'node:module';
import type { Hono } from 'hono';
import type { Gauge } from 'prom-client';
import type { State } from '../state/state.ts';

const require = createRequire(import.meta.url);

/** Prometheus metrics, computed on each scrape from figures that the state maintains anyway. */
export class Metrics {
  #unknownPaths = 0;

  constructor(private readonly state: State) {}

  countUnknownPath(): void {
    this.#unknownPaths += 1;
  }

  route(app: Hono): void {
    app.get('/metrics', async (c) => {
      // Loaded on the first scrape, since loading it takes longer than all other modules together and would delay the
      // start. Not imported dynamically: if an import has failed once, for lack of file descriptors, it fails forever.
      const { Counter, Gauge, Registry }: typeof import('prom-client') = require('prom-client');
      const registry = new Registry();
      const common = { registers: [registry], labelNames: ['semaphore'] };
      const gauge = (name: string, help: string) => new Gauge({ ...common, name, help });
      this.#fill({
        max: gauge('throttle_max', 'Maximum allowed lock count for this semaphore.'),
        acquired: gauge('throttle_acquired', 'Sum of all acquired locks.'),
        pending: gauge('throttle_pending', 'Sum of all pending locks.'),
        longest: gauge(
          'throttle_longest_pending_sec',
          'Seconds that the first pending lock has waited.',
        ),
      });
      const help = 'Number of GET requests to unknown paths.';
      new Counter({ name: 'throttle_num_404', help, registers: [registry] }).inc(
        this.#unknownPaths,
      );
      return c.body(await registry.metrics(), 200, { 'Content-Type': registry.contentType });
    });
  }

  #fill(gauges: Record<'max' | 'acquired' | 'pending' | 'longest', Gauge>): void {
    const now = this.state.advance();
    for (const semaphore of this.state.semaphores()) {
      const { name, max, acquired, pending, pendingSince = now } = semaphore;
      const labels = { semaphore: name };
      gauges.max.set(labels, Number(max));
      gauges.acquired.set(labels, Number(acquired));
      gauges.pending.set(labels, Number(pending));
      gauges.longest.set(labels, Math.floor((now - pendingSince) / 1_000));
    }
  }
}
