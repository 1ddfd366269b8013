import { createRequire } from 'node:module';
import type { Hono } from 'hono';
import type { Gauge } from 'prom-client';
import { MAX_LIMITS_SHOWN } from '../limits/summary.ts';
import type { StateDriver } from '../state-driver.ts';

const require = createRequire(import.meta.url);

type NewGauge = (name: string, help: string) => Gauge;

/** Prometheus metrics, computed on each scrape. */
export class Metrics {
  #unknownPaths = 0;

  constructor(private readonly stateDriver: StateDriver) {}

  countUnknownPath(): void {
    this.#unknownPaths += 1;
  }

  route(app: Hono): void {
    app.get('/metrics', async (c) => {
      // Loaded on the first scrape, since loading it takes longer than all other modules together and would delay the
      // start. Not imported dynamically: if an import has failed once, for lack of file descriptors, it fails forever.
      const { Counter, Gauge, Registry }: typeof import('prom-client') = require('prom-client');
      const registry = new Registry();
      const gauges = (label: string) => (name: string, help: string) =>
        new Gauge({ registers: [registry], labelNames: [label], name, help });
      this.#fillSemaphores(gauges('semaphore'));
      this.#fillLimits(gauges('headgate_limit_name'));
      const help = 'Number of GET requests to unknown paths.';
      new Counter({ name: 'throttle_num_404', help, registers: [registry] }).inc(
        this.#unknownPaths,
      );
      return c.body(await registry.metrics(), 200, { 'Content-Type': registry.contentType });
    });
  }

  #fillSemaphores(gauge: NewGauge): void {
    const gauges = {
      max: gauge('throttle_max', 'Maximum allowed lock count for this semaphore.'),
      acquired: gauge('throttle_acquired', 'Sum of all acquired locks.'),
      pending: gauge('throttle_pending', 'Sum of all pending locks.'),
      longest: gauge(
        'throttle_longest_pending_sec',
        'Seconds that the first pending lock has waited.',
      ),
    };
    const { state } = this.stateDriver;
    const now = state.advance();
    for (const semaphore of state.semaphores()) {
      const { name, max, acquired, pending, pendingSince = now } = semaphore;
      const labels = { semaphore: name };
      gauges.max.set(labels, Number(max));
      gauges.acquired.set(labels, Number(acquired));
      gauges.pending.set(labels, Number(pending));
      gauges.longest.set(labels, Math.floor((now - pendingSince) / 1_000));
    }
  }

  #fillLimits(gauge: NewGauge): void {
    const gauges = {
      limit: gauge('headgate_service_limit', 'The limit, of each key if it has keys.'),
      inflight: gauge('headgate_service_inflight', 'Weight held, over all keys.'),
      queued: gauge('headgate_service_queued', 'Waiters, over all keys.'),
      longest: gauge('headgate_service_longest_wait_seconds', 'Wait of the oldest waiter.'),
    };
    for (const summary of this.stateDriver.limits.summaries().slice(0, MAX_LIMITS_SHOWN)) {
      const labels = { headgate_limit_name: summary.name };
      gauges.limit.set(labels, summary.limit);
      gauges.inflight.set(labels, summary.inflight);
      gauges.queued.set(labels, summary.queued);
      gauges.longest.set(labels, summary.longestWait / 1_000);
    }
  }
}
