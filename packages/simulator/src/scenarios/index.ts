import type { Scenario } from '../scenario.ts';
import { adaptiveDay } from './adaptive-day.ts';
import { fixedPoints } from './fixed-points.ts';
import { longOverload } from './long-overload.ts';
import { metastable } from './metastable.ts';
import { oneBigSpike } from './one-big-spike.ts';
import { priorities } from './priorities.ts';
import { retryAfter } from './retry-after.ts';
import { slowdownAndErrors } from './slowdown-and-errors.ts';
import { spikeScenario } from './spike.ts';
import { vectorLink } from './vector-link.ts';

export const scenarios: readonly Scenario[] = [
  spikeScenario,
  metastable,
  priorities,
  adaptiveDay,
  retryAfter,
  oneBigSpike,
  slowdownAndErrors,
  vectorLink,
  fixedPoints,
  longOverload,
];
