import { availableParallelism } from 'node:os';
import { type Figures, figuresOf, mediansOf, type Pass, spanOf } from './figures.ts';
import { milliseconds, percent, perSecond, ratio } from './format.ts';
import type { Plan } from './plan.ts';
import { judge, type Verdict } from './verdict.ts';

/** What the text, the JSON and the report show. */
export interface Result extends Plan {
  /** Undefined if nothing was compared. */
  readonly verdict: Verdict | undefined;
  readonly sentence: string;
  readonly notes: readonly string[];
  readonly urls: readonly string[];
  /** The medians: as it is; with the hook, unless nothing was compared. */
  readonly figures: readonly Figures[];
  /** The pass of each kind whose spike is the median. */
  readonly typical: readonly Pass[];
}

/**
 * The result of all passes. Passes without the hook alone are compared with nothing.
 *
 * @throws ShowsNothing if they show nothing.
 */
export function resultOf(passes: readonly Pass[], plan: Plan, urls: readonly URL[]): Result {
  const kinds = [false, true]
    .map((isHooked) => passes.filter((pass) => pass.isHooked === isHooked))
    .filter((kind) => kind.length > 0)
    .map((kind) => kind.map((pass) => ({ pass, figures: figuresOf(pass) })));
  const [bare = [], hooked] = kinds.map((kind) => kind.map(({ figures }) => figures));
  const { verdict, sentence } = hooked === undefined ? alone(bare) : judge(bare, hooked);
  return {
    ...plan,
    ...{ verdict, sentence, urls: urls.map(String), notes: notesOf(passes, plan) },
    figures: kinds.map((kind) => mediansOf(kind.map(({ figures }) => figures))),
    typical: kinds.map((kind) => {
      const sorted = [...kind].sort((a, b) => a.figures.spike - b.figures.spike);
      return (sorted[(kind.length - 1) >> 1] as (typeof kind)[number]).pass;
    }),
  };
}

function alone(figures: readonly Figures[]): { verdict: undefined; sentence: string } {
  const { spike, afterwards } = mediansOf(figures);
  return {
    verdict: undefined,
    sentence: `During the spike, the server answered ${ratio(spike)} of its capacity, and afterwards ${percent(afterwards)} of the requests. Nothing was compared.`,
  };
}

function notesOf(passes: readonly Pass[], { multiple, timeout }: Plan): string[] {
  const { phases = [] } = passes[0] ?? {};
  const { from, to } = spanOf(phases, 'spike');
  return [
    `Requests arrive at random times at half of the capacity; for ${milliseconds(to - from)}, at ${multiple} times the capacity; then at half of it again. "Afterwards" begins a second after the spike.`,
    `They are sent when they are due, even if earlier ones are unanswered, and clients give up ${milliseconds(timeout)} later.`,
    `Medians of ${passes.length} passes in turns, each with a fresh process, relative to its own capacity.`,
    `The server and the load generator share one machine: Node ${process.version}, ${availableParallelism()} cores.`,
  ];
}

/** The table of the text and of the report, with a heading. */
export function rowsOf({ figures, multiple, timeout }: Result): string[][] {
  const row = (label: string, show: (figures: Figures) => string) => [label, ...figures.map(show)];
  return [
    ['', 'as it is', 'with the hook'].slice(0, figures.length + 1),
    row('afterwards: answered', ({ afterwards }) => percent(afterwards)),
    row(`spike of ${multiple} ×: answered, ÷ capacity`, ({ spike }) => ratio(spike)),
    row('wait if answered, median', ({ p50 }) => milliseconds(p50)),
    row('wait if answered, p99', ({ p99 }) => milliseconds(p99)),
    row('rejected', ({ rejected }) => percent(rejected)),
    row(`gave up after ${milliseconds(timeout)}`, ({ gaveUp }) => percent(gaveUp)),
    row('failed', ({ failed }) => percent(failed)),
    row('before the spike: answered', ({ before }) => percent(before)),
    row('capacity', ({ capacity }) => perSecond(capacity)),
  ];
}
