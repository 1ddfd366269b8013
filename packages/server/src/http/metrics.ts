import type { Clock } from '@headgate/core';
import type { Hono } from 'hono';
import { Counter, Gauge, Registry } from 'prom-client';
import type { State } from '../state/state.ts';

const gauges = {
  throttle_max: 'Maximum allowed lock count for this semaphore.',
  throttle_acquired: 'Sum of all acquired locks.',
  throttle_pending: 'Sum of all pending locks.',
  throttle_longest_pending_sec: 'Seconds for which the peer waits that has waited longest.',
};

/** Figures for Prometheus, filled in when they are asked for. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #gauges: Record<keyof typeof gauges, Gauge>;
  readonly #unknownPaths = new Counter({
    name: 'throttle_num_404',
    help: 'Number of GET requests to unknown paths.',
    registers: [this.#registry],
  });

  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {
    const made = Object.entries(gauges).map(([name, help]) => {
      const labelNames = ['semaphore'];
      return [name, new Gauge({ name, help, labelNames, registers: [this.#registry] })] as const;
    });
    this.#gauges = Object.fromEntries(made) as Record<keyof typeof gauges, Gauge>;
  }

  countUnknownPath(): void {
    this.#unknownPaths.inc();
  }

  route(app: Hono): void {
    app.get('/metrics', async (c) => {
      this.#fill();
      const text = await this.#registry.metrics();
      return c.body(text, 200, { 'Content-Type': this.#registry.contentType });
    });
  }

  #fill(): void {
    for (const gauge of Object.values(this.#gauges)) gauge.reset();
    const semaphores = this.state.semaphores();
    const now = this.clock.now();
    for (const { name, max, acquired, pending, pendingSince = now } of semaphores) {
      const labels = { semaphore: name };
      this.#gauges.throttle_max.set(labels, Number(max));
      this.#gauges.throttle_acquired.set(labels, Number(acquired));
      this.#gauges.throttle_pending.set(labels, Number(pending));
      const seconds = Math.floor((now - pendingSince) / 1_000);
      this.#gauges.throttle_longest_pending_sec.set(labels, seconds);
    }
  }
}
