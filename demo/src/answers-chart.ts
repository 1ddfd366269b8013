import { type Comparison, capacityOf, type Run } from './comparison.ts';
import { perSecond, seconds } from './format.ts';
import { answeredPerSecond } from './summary.ts';
import { axes, type Frame, frameOf, hover, spikeBand, svg, ticks } from './svg.ts';

const height = 270;
const second = 1_000;
const step = 200;

/** Plots answers in time per second against the requests sent and the server's capacity. */
export function answersChart(run: Run, comparison: Comparison, name: string): string {
  const [, spike, { to: end }] = comparison.phases;
  const capacity = capacityOf(comparison);
  const top = topOf(comparison);
  const frame = frameOf(height, end, top);
  const { x, y, plot } = frame;
  const curve = curveOf(run, end).map(({ at, rate }) => `${x(at)} ${y(rate)}`);
  const middle = (x(spike.from) + x(spike.to)) / 2;
  return svg(height, `${name}: answered in time per second`, [
    spikeBand(frame, spike),
    axes(frame, end, ticks(top, 5), String),
    `<path class="asked" d="${requestsPath(comparison, frame)}"/>`,
    `<text class="note" x="${middle}" y="${plot.top + 16}" text-anchor="middle">↑ ${perSecond(spike.rate)}</text>`,
    `<path class="area" d="M${x(0)} ${y(0)}L${curve.join('L')}V${y(0)}Z"/>`,
    `<path class="line" d="M${curve.join('L')}"/>`,
    `<line class="capacity" x1="${plot.left}" x2="${plot.right}" y1="${y(capacity)}" y2="${y(capacity)}"/>`,
    `<text class="note" x="${plot.right}" y="${y(capacity) - 6}" text-anchor="end">capacity ${perSecond(capacity)}</text>`,
    hovers(run, end, frame),
  ]);
}

/** One scale for both charts. The requests sent in the spike exceed it, because they would flatten the rest. */
function topOf(comparison: Comparison): number {
  const end = comparison.phases[2].to;
  const curves = [comparison.bare, comparison.guarded].flatMap((run) => curveOf(run, end));
  return Math.max(capacityOf(comparison) * 1.4, ...curves.map(({ rate }) => rate * 1.15));
}

/** At each time, the answers of the second before it. */
function curveOf({ attempts }: Run, end: number): { at: number; rate: number }[] {
  return Array.from({ length: Math.floor(end / step) }, (_, index) => {
    const at = (index + 1) * step;
    return { at, rate: answeredPerSecond(attempts, Math.max(0, at - second), at) };
  });
}

function requestsPath({ phases }: Comparison, { x, y, plot }: Frame): string {
  const level = (rate: number) => Math.max(plot.top, y(rate));
  return phases
    .map(({ from, to, rate }, index) => `${index ? 'L' : 'M'}${x(from)} ${level(rate)}H${x(to)}`)
    .join('');
}

function hovers({ attempts }: Run, end: number, frame: Frame): string {
  return Array.from({ length: Math.ceil(end / second) }, (_, index) => {
    const from = index * second;
    const to = Math.min(end, from + second);
    const sent = attempts.filter(({ due }) => due >= from && due < to);
    const of = (outcome: string) => sent.filter((attempt) => attempt.outcome === outcome).length;
    return hover(
      frame,
      { from, to },
      `Of ${sent.length} requests sent from ${seconds(from)} to ${seconds(to)}, ${of('answered')} were answered in time, ` +
        `${of('rejected')} rejected, ${of('gaveUp')} given up`,
    );
  }).join('');
}
