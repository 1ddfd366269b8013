import type { Scenario } from '../scenario.ts';
import { scenario as adaptiveDay } from './adaptive-day.ts';
import { scenario as fairQueueing } from './fair-queueing.ts';
import { scenario as fixedPoints } from './fixed-points.ts';
import { scenario as longOverload } from './long-overload.ts';
import { scenario as metastable } from './metastable.ts';
import { scenario as oneBigSpike } from './one-big-spike.ts';
import { scenario as parties } from './parties.ts';
import { scenario as priorities } from './priorities.ts';
import { scenario as retryAfter } from './retry-after.ts';
import { scenario as slowdownAndErrors } from './slowdown-and-errors.ts';
import { scenario as spike } from './spike.ts';
import { scenario as vectorLink } from './vector-link.ts';

export const scenarios: readonly Scenario[] = [
  spike,
  metastable,
  priorities,
  parties,
  adaptiveDay,
  retryAfter,
  fairQueueing,
  oneBigSpike,
  slowdownAndErrors,
  vectorLink,
  fixedPoints,
  longOverload,
];
