import { type Comparison, capacityOf, type Run } from './comparison.ts';
import { perSecond } from './format.ts';
import { answeredPerSecond } from './summary.ts';
import { axes, type Frame, frameOf, round, svg, ticks } from './svg.ts';

const height = 270;
const window = 1_000;
const step = 200;

/** Answers in time per second as time goes by, against what was asked and what the server can do. */
export function answersChart(run: Run, comparison: Comparison, name: string): string {
  const [, spike, end] = comparison.phases;
  const capacity = capacityOf(comparison);
  const frame = frameOf(height, end.to, capacity * 1.4);
  const { x, y, plot } = frame;
  const curve = curveOf(run, end.to, frame);
  const time = {
    max: end.to,
    ticks: ticks(end.to / 1_000, 6).map((s) => s * 1_000),
    label: seconds,
  };
  const rate = { max: capacity * 1.4, ticks: ticks(capacity * 1.3, 4), label: String };
  const middle = (x(spike.from) + x(spike.to)) / 2;
  return svg(height, `${name}: answered in time per second`, [
    `<rect class="spike" x="${x(spike.from)}" y="${plot.top}" width="${round(x(spike.to) - x(spike.from))}" height="${plot.bottom - plot.top}"/>`,
    axes(frame, time, rate),
    `<path class="asked" d="${askedPath(comparison, frame)}"/>`,
    `<text class="note" x="${middle}" y="${plot.top + 16}" text-anchor="middle">↑ ${perSecond(spike.rate)}</text>`,
    `<path class="area" d="M${x(0)} ${y(0)}L${curve.join('L')}V${y(0)}Z"/>`,
    `<path class="line" d="M${curve.join('L')}"/>`,
    `<line class="capacity" x1="${plot.left}" x2="${plot.right}" y1="${y(capacity)}" y2="${y(capacity)}"/>`,
    `<text class="note" x="${plot.right}" y="${y(capacity) - 6}" text-anchor="end">can do ${perSecond(capacity)}</text>`,
    hovers(run, end.to, frame),
  ]);
}

export const seconds = (milliseconds: number) => `${milliseconds / 1_000} s`;

function curveOf(run: Run, end: number, { x, y }: Frame): string[] {
  const points: string[] = [];
  for (let at = step; at <= end; at += step) {
    const rate = answeredPerSecond(run.attempts, Math.max(0, at - window), at);
    points.push(`${x(at)} ${y(rate)}`);
  }
  return points;
}

/** Leaves the picture in the spike: the curve below would be flat if all of it were to fit. */
function askedPath({ phases }: Comparison, { x, y, plot }: Frame): string {
  const level = (rate: number) => Math.max(plot.top, y(rate));
  return phases
    .map(({ from, to, rate }, index) => `${index ? 'L' : 'M'}${x(from)} ${level(rate)}H${x(to)}`)
    .join('');
}

function hovers({ attempts }: Run, end: number, { x, plot }: Frame): string {
  const columns: string[] = [];
  for (let from = 0; from < end; from += window) {
    const to = Math.min(end, from + window);
    const came = attempts.filter(({ due }) => due >= from && due < to);
    const of = (outcome: string) => came.filter((attempt) => attempt.outcome === outcome).length;
    const text =
      `Of ${came.length} who came from ${seconds(from)} to ${seconds(to)}, ${of('answered')} were answered, ` +
      `${of('turnedAway')} turned away, ${of('gaveUp')} gave up`;
    columns.push(
      `<rect class="hover" x="${x(from)}" y="${plot.top}" width="${round(x(to) - x(from))}" height="${plot.bottom - plot.top}"><title>${text}</title></rect>`,
    );
  }
  return columns.join('');
}
