import { certainStates } from '../log/certain-states.ts';
import { eventsOf, type Log } from '../log/event.ts';
import { describe, grantsOf, MAX_REACTION_TIME } from './at-work.ts';
import { type Findings, timeIn } from './finding.ts';

/**
 * While the limit and how it is operated stay the same, no grant outside of shadow mode raises the weight at work above
 * the limit. That weight includes permits of an earlier shadow mode or a higher limit. A call heavier than the limit is
 * granted alone. Not checked for one lease after the store has lost its state.
 */
export function noGrantAboveLimit(log: Log): Findings {
  const broken: string[] = [];
  const losses = eventsOf(log, 'lost');
  const states = certainStates(log).filter(({ operated }) => operated.mode === 'enforce');
  let checked = 0;
  for (const grant of grantsOf(log)) {
    const { requested, granted: now, fencing } = grant.record;
    const state = states.find(({ from, to }) => from <= requested && now <= to);
    const isLost = losses.some(({ from, at }) => {
      return from <= now && now <= at + log.lease + MAX_REACTION_TIME;
    });
    if (state === undefined || isLost || fencing === undefined) continue;
    checked++;
    // Permits without a token were granted without the store, in an outage in shadow mode.
    const counted = grant.atWork.filter((other) => other.fencing !== undefined);
    const weight = counted.reduce((sum, other) => sum + other.weight, 0);
    if (weight <= state.value || counted.length === 1) continue;
    broken.push(`${timeIn(log, now)}: ${weight} at work of ${state.value}: ${describe(grant)}`);
  }
  return { checked, broken };
}
