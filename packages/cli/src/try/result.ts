import { availableParallelism } from 'node:os';
import { type Figures, figuresOf, mediansOf, type Pass, spanOf } from './figures.ts';
import { milliseconds, percent, perSecond, ratio } from './format.ts';
import type { Plan } from './plan.ts';
import { judge } from './verdict.ts';

/** What the text, the JSON and the report show. */
export type Result = ReturnType<typeof resultOf>;

/**
 * The result of all passes. Passes without the hook alone are compared with nothing: they have no verdict.
 *
 * @throws ShowsNothing if they show nothing.
 */
export function resultOf(passes: readonly Pass[], plan: Plan, urls: readonly URL[]) {
  const kinds = [false, true]
    .map((isHooked) => passes.filter((pass) => pass.isHooked === isHooked))
    .filter((kind) => kind.length > 0)
    .map((kind) => kind.map((pass) => ({ pass, figures: figuresOf(pass) })));
  const [bare = [], hooked] = kinds.map((kind) => kind.map(({ figures }) => figures));
  const { verdict, sentence } = hooked === undefined ? alone(bare) : judge(bare, hooked);
  return {
    ...plan,
    ...{ verdict, sentence, urls: urls.map(String), notes: notesOf(passes, plan) },
    /** The medians: as it is; with the hook, unless nothing was compared. */
    figures: kinds.map((kind) => mediansOf(kind.map(({ figures }) => figures))),
    /** The pass of each kind whose spike is the median. */
    typical: kinds.map((kind) => {
      const sorted = [...kind].sort((a, b) => a.figures.spike - b.figures.spike);
      return (sorted[(kind.length - 1) >> 1] as (typeof kind)[number]).pass;
    }),
  };
}

function alone(figures: readonly Figures[]) {
  const { spike, afterwards } = mediansOf(figures);
  const sentence = `During the spike, the server answered ${ratio(spike)} of its capacity, and afterwards ${percent(afterwards)} of the requests. Nothing was compared.`;
  return { verdict: undefined, sentence };
}

function notesOf(passes: readonly Pass[], { multiple, timeout }: Plan): string[] {
  const { from, to } = spanOf(passes[0]?.phases ?? [], 'spike');
  return [
    `Requests arrive at random times at half of the capacity; for ${milliseconds(to - from)}, at ${multiple} times the capacity; then at half of it again. "Afterwards" begins a second after the spike.`,
    `They are sent when they are due, even if earlier ones are unanswered, and clients give up ${milliseconds(timeout)} later.`,
    `Medians of ${passes.length} passes in turns, each with a fresh process, relative to its own capacity.`,
    `The server and the load generator share one machine: Node ${process.version}, ${availableParallelism()} cores.`,
  ];
}

/** The table of the text and of the report, with a heading. */
export function rowsOf({ figures, multiple, timeout }: Result): string[][] {
  const rows: [label: string, show: (figures: Figures) => string][] = [
    ['afterwards: answered', ({ afterwards }) => percent(afterwards)],
    [`spike of ${multiple} ×: answered, ÷ capacity`, ({ spike }) => ratio(spike)],
    ['wait if answered, median', ({ p50 }) => milliseconds(p50)],
    ['wait if answered, p99', ({ p99 }) => milliseconds(p99)],
    ['rejected', ({ rejected }) => percent(rejected)],
    [`gave up after ${milliseconds(timeout)}`, ({ gaveUp }) => percent(gaveUp)],
    ['failed', ({ failed }) => percent(failed)],
    ['before the spike: answered', ({ before }) => percent(before)],
    ['capacity', ({ capacity }) => perSecond(capacity)],
  ];
  const heading = ['', 'as it is', 'with the hook'].slice(0, figures.length + 1);
  return [heading, ...rows.map(([label, show]) => [label, ...figures.map(show)])];
}
