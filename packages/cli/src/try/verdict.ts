import { availableParallelism, loadavg } from 'node:os';
import { type Figures, mediansOf } from './figures.ts';
import { milliseconds, percent, perSecond, ratio } from './format.ts';

export type Verdict = 'helps' | 'no need' | 'harms' | 'shows nothing';

/** Ends the command: the run shows nothing, for this reason. */
export class ShowsNothing extends Error {
  /** @param isCertain Whether no other program is to blame. */
  constructor(
    reason: string,
    readonly isCertain = false,
  ) {
    super(reason);
  }
}

/**
 * If the generator was later than this (milliseconds, p99), other programs kept it from the CPU, and the server, too. On
 * a quiet machine, it is late by up to 12 ms; by 40 ms next to programs that cost the server a quarter of what it answers
 * in the spike.
 */
const MAX_LATE = 30;
/** The lowest of the capacities of one kind of pass, relative to the highest. */
const MIN_STEADINESS = 2 / 3;
/** A server that answers less than this share at half of its capacity is not healthy before the spike. */
const MIN_CALM = 0.99;

/**
 * The verdict on the passes of both kinds, in the order in which they ran.
 *
 * @throws ShowsNothing if the figures cannot be trusted, or do not differ although the server does not survive.
 */
export function judge(bare: readonly Figures[], hooked: readonly Figures[]) {
  checkMachine([bare, hooked]);
  const [bareMedians, hookedMedians] = [mediansOf(bare), mediansOf(hooked)];
  if (bareMedians.before < MIN_CALM)
    throw new ShowsNothing(
      `before the spike, at half of its capacity, the server answered only ${percent(bareMedians.before)} of the requests without the hook, so the spike is not what it suffers from`,
    );
  const verdict = verdictOn(bareMedians, hookedMedians);
  const contrary = bare.findIndex((one, round) => isContrary(verdict, one, hooked[round]));
  if (contrary !== -1)
    throw new ShowsNothing(
      `the rounds disagree: by all ${bare.length}, the verdict is "${verdict}", but by round ${contrary + 1}, it is not (${pairOf(bare[contrary] as Figures, hooked[contrary] as Figures)})`,
    );
  return verdictOf(verdict, pairOf(bareMedians, hookedMedians));
}

function checkMachine(kinds: readonly (readonly Figures[])[]): void {
  const late = Math.max(...kinds.map((kind) => mediansOf(kind).late));
  if (late > MAX_LATE)
    throw new ShowsNothing(
      `the load generator was late: it sent 1 request in 100 more than ${milliseconds(late)} after its time. ${loadOfMachine()}`,
    );
  for (const kind of kinds) {
    const capacities = kind.map(({ capacity }) => capacity);
    if (Math.min(...capacities) < MIN_STEADINESS * Math.max(...capacities))
      throw new ShowsNothing(
        `the machine was not steady: the same server could do ${capacities.map(perSecond).join(', ')}. ${loadOfMachine()}`,
      );
  }
}

/** To print: other programs are the usual cause, but no criterion. */
export const loadOfMachine = () =>
  `The load average is ${loadavg()[0]?.toFixed(1)}, on ${availableParallelism()} cores; try again when other programs are idle`;

function verdictOn(bare: Figures, hooked: Figures): Verdict {
  if (hooked.afterwards > bare.afterwards + 0.1) return 'helps';
  if (isWorse(bare, hooked)) return 'harms';
  if (bare.afterwards >= 0.9 && bare.spike >= 0.5) return 'no need';
  if (hooked.spike > bare.spike + 0.2) return 'helps';
  throw new ShowsNothing(
    `the server does not survive the spike, and the hook makes no difference (${pairOf(bare, hooked)}). If the limit is too high, try a lower one: --limit 10`,
    true,
  );
}

/** What a server answers beyond its capacity does not count: a spike of rejections needs a part of its CPU. */
function isWorse(bare: Figures, hooked: Figures): boolean {
  return (
    hooked.afterwards < bare.afterwards - 0.1 ||
    hooked.before < bare.before - 0.05 ||
    hooked.capacity < 0.6 * bare.capacity ||
    hooked.spike < 0.6 * Math.min(1, bare.spike)
  );
}

function isContrary(verdict: Verdict, bare: Figures, hooked: Figures | undefined): boolean {
  if (hooked === undefined) return false;
  if (verdict === 'helps') return hooked.afterwards < bare.afterwards - 0.1;
  if (verdict === 'harms') return !isWorse(bare, hooked);
  return Math.abs(hooked.afterwards - bare.afterwards) > 0.5;
}

const pairOf = (bare: Figures, hooked: Figures) =>
  `it answered ${percent(bare.afterwards)} of the requests after the spike without the hook and ${percent(hooked.afterwards)} with it, and ${ratio(bare.spike)} and ${ratio(hooked.spike)} of its capacity during the spike`;

const beginnings: { readonly [verdict in Verdict]: string } = {
  helps: 'Headgate helps this server',
  'no need': 'No need: this server survives the spike by itself',
  harms: 'Headgate harms this server',
  'shows nothing': 'This run shows nothing',
};

/** A verdict with its sentence. */
export const verdictOf = (verdict: Verdict, reason: string) => ({
  verdict,
  sentence: `${beginnings[verdict]}: ${reason}.`,
});
