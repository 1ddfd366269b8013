export { readOrWarn, readStats } from '../read-or-warn.ts';
export { attributeNames, bucketBounds, type Metric, metrics } from './definitions.ts';
export type { OpenSeries, Series } from './durations.ts';
export type { Measurable, MeasurableLimit } from './measurable.ts';
export { type Exporter, MeasuredLimits } from './measured-limits.ts';
export type { MeasurableStore } from './measured-stores.ts';
export type { Attributes, Receive } from './measurements.ts';
