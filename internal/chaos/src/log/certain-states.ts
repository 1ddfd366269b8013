import type { OperatedState } from '@headgate/store-kit';
import { eventsOf, type LimitAnswer, type Log, type Span } from './event.ts';

/** The state of a limit, and an interval in which the store certainly had it. */
export interface CertainState extends Span {
  readonly value: number;
  readonly operated: OperatedState;
}

/**
 * Returns the states of a limit that is operated. Between two answers with the same versions, the store had the same
 * state, unless it has lost its state meanwhile, or may have forgotten the limit because no process used it.
 */
export function certainStates(log: Log): CertainState[] {
  const losses = eventsOf(log, 'lost');
  const states = new Map<string, LimitAnswer[]>();
  let last = 0;
  let unused = 0;
  for (const answer of eventsOf(log, 'answered')) {
    if (answer.from - last > log.lease) unused++;
    last = answer.at;
    if (losses.some(({ from, at }) => from <= answer.at && at >= answer.from)) continue;
    const lost = losses.filter(({ at }) => at < answer.from).length;
    const { valueVersion, operated } = answer;
    const id = [valueVersion, operated.version, lost, unused].join();
    const known = states.get(id);
    if (known === undefined) states.set(id, [answer]);
    else known.push(answer);
  }
  return [...states.values()].map((answers) => {
    const { value, operated } = answers[0] as LimitAnswer;
    const from = Math.min(...answers.map(({ at }) => at));
    return { from, to: Math.max(...answers.map((answer) => answer.from)), value, operated };
  });
}
