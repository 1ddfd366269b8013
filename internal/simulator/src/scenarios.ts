import type { Scenario } from './scenario.ts';
import { scenario as adaptive } from './scenarios/adaptive.ts';
import { scenario as defaultLimit } from './scenarios/default-limit.ts';
import { scenario as defaultLimitSpike } from './scenarios/default-limit-spike.ts';
import { scenario as fairQueueing } from './scenarios/fair-queueing.ts';
import { scenario as longOverload } from './scenarios/long-overload.ts';
import { scenario as metastable } from './scenarios/metastable.ts';
import { scenario as oneBigSpike } from './scenarios/one-big-spike.ts';
import { scenario as priorities } from './scenarios/priorities.ts';
import { scenario as retryAfter } from './scenarios/retry-after.ts';
import { scenario as slowdownAndErrors } from './scenarios/slowdown-and-errors.ts';
import { scenario as spike } from './scenarios/spike.ts';
import { scenario as tenants } from './scenarios/tenants.ts';
import { scenario as vectorLink } from './scenarios/vector-link.ts';

export const scenarios: readonly Scenario[] = [
  spike,
  metastable,
  priorities,
  tenants,
  defaultLimit,
  defaultLimitSpike,
  adaptive,
  longOverload,
  retryAfter,
  fairQueueing,
  oneBigSpike,
  slowdownAndErrors,
  vectorLink,
];
