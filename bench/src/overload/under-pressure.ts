import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { RequestHandler } from 'express';

export interface PressureOptions {
  /** Milliseconds: the mean of an interval. */
  maxEventLoopDelay: number;
  /** From 0 to 1. */
  maxEventLoopUtilization: number;
}

/** Milliseconds; also the resolution of its histogram, which its values include. */
const sampleInterval = 1_000;
const resolution = 10;

/**
 * The method of @fastify/under-pressure, which itself needs Fastify: a timer reads the mean delay of the event loop and
 * its utilization, and resets both. Until the timer fires again, all requests are rejected if either was above its
 * threshold.
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
