import { operatedLimit } from '../operated-limit.ts';
import { noGrantAboveLimit } from './above-limit.ts';
import { noDisturbance } from './calm.ts';
import type { Invariant } from './finding.ts';
import { noLossWithoutFault } from './loss.ts';
import { allAgree, noGrantWhileClosed, noRejectionInShadowMode } from './operated.ts';
import { inOrder } from './order.ts';
import { noOverlap } from './overlap.ts';
import { deadProcessesRecovered } from './recovery.ts';
import { allReleased } from './release.ts';
import { allAlive } from './survival.ts';
import { noLateAnswers } from './timeout.ts';
import { noStaleWrite, risingTokens } from './tokens.ts';

/** The invariants that are checked for this limit. */
export function invariantsFor(limit: number): Readonly<Record<string, Invariant>> {
  return limit === operatedLimit ? invariantsOfOperated : invariants;
}

const invariants = {
  'the weight at work never exceeds the limit': noOverlap,
  'first in, first out': inOrder,
  'no caller waits past its timeout': noLateAnswers,
  'every permit is released': allReleased,
  'permits of dead processes become available': deadProcessesRecovered,
  'no permit is lost without a fault': noLossWithoutFault,
  'no disturbance without a fault': noDisturbance,
  'no stale token is accepted': noStaleWrite,
  'tokens increase': risingTokens,
};

/** These count permits by their tokens. */
const invariantsOfOperated = {
  'nothing is granted while the limit is paused or rejecting': noGrantWhileClosed,
  'no grant exceeds the limit that applies': noGrantAboveLimit,
  'shadow mode rejects nothing': noRejectionInShadowMode,
  'all processes know how the limit is operated': allAgree,
  'no caller waits past its timeout': noLateAnswers,
  'every permit is released': allReleased,
  'no permit is lost without a fault': noLossWithoutFault,
};

/** The invariants that are checked for the processes, independently of limits. */
export const invariantsOfAll: Readonly<Record<string, Invariant>> = {
  'no process dies': allAlive,
};
