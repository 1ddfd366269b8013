import { answersPerSecond, type Pass, spanOf } from '../figures.ts';
import { perSecond } from '../format.ts';
import { axes, endOf, type Frame, frameOf, spikeBand, svg, ticks } from './svg.ts';

const height = 270;
const second = 1_000;
const step = 200;

/** Plots answers in time per second against the requests sent and the server's capacity. `top`: see `topOf`. */
export function answersChart(pass: Pass, top: number, name: string): string {
  const { phases, capacity } = pass;
  const spike = spanOf(phases, 'spike');
  const end = endOf(phases);
  const frame = frameOf(height, end, top);
  const { x, y, plot } = frame;
  const curve = curveOf(pass).map(({ at, rate }) => `${x(at)} ${y(rate)}`);
  const middle = (x(spike.from) + x(spike.to)) / 2;
  const asked = phases.find((phase) => phase.name === 'spike')?.rate ?? 0;
  return svg(height, `${name}: answered in time per second`, [
    spikeBand(frame, spike),
    axes(frame, end, ticks(top, 5), String),
    `<path class="asked" d="${requestsPath(pass, frame)}"/>`,
    `<text class="note" x="${middle}" y="${plot.top + 16}" text-anchor="middle">↑ ${perSecond(asked)}</text>`,
    `<path class="area" d="M${x(0)} ${y(0)}L${curve.join('L')}V${y(0)}Z"/>`,
    `<path class="line" d="M${curve.join('L')}"/>`,
    `<line class="capacity" x1="${plot.left}" x2="${plot.right}" y1="${y(capacity)}" y2="${y(capacity)}"/>`,
    `<text class="note" x="${plot.right}" y="${y(capacity) - 6}" text-anchor="end">capacity ${perSecond(capacity)}</text>`,
  ]);
}

/** One scale for all charts. The requests sent in the spike exceed it, because they would flatten the rest. */
export function topOf(passes: readonly Pass[]): number {
  const peaks = passes.flatMap((pass) => [
    pass.capacity * 1.4,
    ...curveOf(pass).map(({ rate }) => rate * 1.15),
  ]);
  return Math.max(...peaks);
}

/** At each time, the answers of the second before it. */
function curveOf({ attempts, phases }: Pass): { at: number; rate: number }[] {
  return Array.from({ length: Math.floor(endOf(phases) / step) }, (_, index) => {
    const at = (index + 1) * step;
    return { at, rate: answersPerSecond(attempts, Math.max(0, at - second), at) };
  });
}

function requestsPath({ phases }: Pass, { x, y, plot }: Frame): string {
  let at = 0;
  const parts = phases.map(({ duration, rate }) => {
    const from = at;
    at += duration;
    return `${x(from)} ${Math.max(plot.top, y(rate))}H${x(at)}`;
  });
  return `M${parts.join('L')}`;
}
