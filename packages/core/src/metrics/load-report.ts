import { systemClock } from '../clock.ts';
import type { Handle } from '../limiter/limiter.ts';
import type { LimiterStats } from '../limiter/stats.ts';

/** Milliseconds between two measurements. A balancer computes its weights about once a second. */
const INTERVAL_MS = 500;

/** Time constant of the moving averages in milliseconds. */
const TIME_CONSTANT_MS = 1400;

/**
 * Returns a function that describes the present load of a limit, as the value of the response field
 * `endpoint-load-metrics`: the text format of ORCA load reports (cncf/xds), which Envoy and Envoy Gateway read. It
 * has the utilization ((inflight + queued) / limit, of the fullest limit; limits per key are left out), the requests
 * admitted per second and the requests rejected per second. Each is a moving average over about two seconds.
 *
 * Send it to balancers only, since it tells clients how loaded the server is.
 *
 * @param limit A limiter, a gate or a middleware.
 */
export function loadReport(limit: Handle): () => string {
  let before = countsOf(limit);
  const averages = { application_utilization: before.utilization, rps_fractional: 0, eps: 0 };
  return () => {
    const elapsed = systemClock.now() - before.at;
    if (elapsed >= INTERVAL_MS) {
      const part = 1 - Math.exp(-elapsed / TIME_CONSTANT_MS);
      const update = (name: keyof typeof averages, value: number) => {
        averages[name] += part * (value - averages[name]);
      };
      const now = countsOf(limit);
      update('application_utilization', now.utilization);
      update('rps_fractional', ((now.admitted - before.admitted) * 1000) / elapsed);
      update('eps', ((now.rejected - before.rejected) * 1000) / elapsed);
      before = now;
    }
    const fields = Object.entries(averages).map(([name, value]) => `${name}=${value.toFixed(3)}`);
    return `TEXT ${fields.join(',')}`;
  };
}

function countsOf(handle: Handle) {
  const stats = handle.stats();
  const rejected = Object.values(stats.rejected).reduce((sum, count) => sum + count, 0);
  const limits = (stats.limits ?? [stats]).filter(({ name }) => !handle.limiters[name]?.perKey);
  const utilization = Math.max(0, ...limits.map(utilizationOf));
  return { at: systemClock.now(), admitted: stats.admitted, rejected, utilization };
}

function utilizationOf({ inflight, queued, limit }: LimiterStats): number {
  return (inflight + queued) / limit;
}
