import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { RequestHandler } from 'express';

export interface PressureOptions {
  /** The mean delay of an interval in milliseconds. */
  maxEventLoopDelay: number;
  /** From 0 to 1. */
  maxEventLoopUtilization: number;
}

/** The interval in milliseconds, and the resolution of the histogram, which its values include. */
const sampleInterval = 1_000;
const resolution = 10;

/**
 * The method of @fastify/under-pressure, which itself needs Fastify: a timer reads and resets the mean delay and the
 * utilization of the event loop; until it fires again, all requests are rejected if either exceeded its threshold.
 */
export function underPressure(options: PressureOptions): RequestHandler {
  const histogram = monitorEventLoopDelay({ resolution });
  histogram.enable();
  let before = performance.eventLoopUtilization();
  let isUnderPressure = false;
  const sample = () => {
    const delay = Math.max(0, histogram.mean / 1e6 - resolution);
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    histogram.reset();
    before = now;
    isUnderPressure =
      delay > options.maxEventLoopDelay || utilization > options.maxEventLoopUtilization;
  };
  setInterval(sample, sampleInterval).unref();
  return (_req, res, next) => {
    if (isUnderPressure) res.status(503).set('Retry-After', '10').send('Service Unavailable');
    else next();
  };
}
