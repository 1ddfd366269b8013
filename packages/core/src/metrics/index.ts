export { attributeNames, bucketBounds, type Metric, metrics } from './definitions.ts';
export type { OpenSeries, Series } from './durations.ts';
export type { Measurable } from './measurable.ts';
export { type Exporter, MeasuredLimits } from './measured-limits.ts';
export type { Attributes, Receive } from './measurements.ts';
