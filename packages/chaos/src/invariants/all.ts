import type { Capabilities } from '@headgate/core/shared';
import { calmIsQuiet } from './calm.ts';
import type { Invariant } from './finding.ts';
import { theDeadAreInherited } from './inheritance.ts';
import { noLossWithoutFault } from './loss.ts';
import { inOrder } from './order.ts';
import { noOverlap } from './overlap.ts';
import { noneWaitsTooLong } from './patience.ts';
import { allComeBack } from './return.ts';
import { allLive } from './survival.ts';
import { noStaleWrite, risingTokens } from './tokens.ts';

/** Of each limit, where the store can do so much. */
export function invariantsFor({ fencing }: Capabilities): Readonly<Record<string, Invariant>> {
  return fencing ? { ...invariants, ...invariantsOfTokens } : invariants;
}

const invariants = {
  'no second grant while the first holder is alive': noOverlap,
  'first in, first out': inOrder,
  'nobody waits past their timeout': noneWaitsTooLong,
  'every permit comes back': allComeBack,
  'the dead are inherited': theDeadAreInherited,
  'no permit is lost without a fault': noLossWithoutFault,
  'calm is quiet': calmIsQuiet,
};

const invariantsOfTokens = {
  'no stale token accepted': noStaleWrite,
  'tokens rise': risingTokens,
};

/** Of the processes, whatever the limit. */
export const invariantsOfAll: Readonly<Record<string, Invariant>> = {
  'no process dies': allLive,
};
