export { type CollectOptions, collectMetrics } from './collect-metrics.ts';
