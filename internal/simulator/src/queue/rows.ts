import type { Row } from './row.ts';
import { row as atOnce } from './rows/at-once.ts';
import { row as belowCapacity } from './rows/below-capacity.ts';
import { row as bursts } from './rows/bursts.ts';
import { row as clientTimeouts } from './rows/client-timeouts.ts';
import { row as earlyLeavers } from './rows/early-leavers.ts';
import { row as fair } from './rows/fair.ts';
import { row as keys } from './rows/keys.ts';
import { row as orders } from './rows/orders.ts';
import { row as outage } from './rows/outage.ts';
import { row as overload } from './rows/overload.ts';
import { row as priority } from './rows/priority.ts';
import { row as retryAfter } from './rows/retry-after.ts';
import { row as share } from './rows/share.ts';

export const rows: readonly Row[] = [
  belowCapacity,
  overload,
  clientTimeouts,
  share,
  fair,
  priority,
  atOnce,
  bursts,
  retryAfter,
  earlyLeavers,
  outage,
  keys,
  orders,
];
