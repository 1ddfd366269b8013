import type { Scenario } from '../scenario.ts';
import { fixedPoints } from './fixed-points.ts';
import { longOverload } from './long-overload.ts';
import { oneBigSpike } from './one-big-spike.ts';
import { retryAfter } from './retry-after.ts';
import { slowdownAndErrors } from './slowdown-and-errors.ts';
import { vectorLink } from './vector-link.ts';

export const scenarios: readonly Scenario[] = [
  retryAfter,
  fixedPoints,
  longOverload,
  slowdownAndErrors,
  oneBigSpike,
  vectorLink,
];
