export { readOrWarn, readStats } from '../read-or-warn.ts';
export { attributeNames, bucketBounds, type Metric, metrics } from './definitions.ts';
export { type Exporter, type Measurable, MeasuredLimits } from './measured-limits.ts';
export type { Attributes } from './measurements.ts';
