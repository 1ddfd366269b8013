import { spike } from '../model/calls.ts';
import { svg } from './dom.ts';

/** A value for each second, below a line that marks the capacity. */
export interface Plot {
  readonly title: string;
  readonly perSecond: readonly number[];
  readonly capacity: number;
  readonly hasSpike: boolean;
}

const width = 260;
const height = 104;
const area = { left: 26, right: width - 2, top: 2, bottom: height - 18 };

/** Seconds between two labels of the axis. */
const TICK_SECONDS = 5;

/** Draws the values over time, with a description for readers that do not see the image. */
export function draw(plot: Plot): SVGElement {
  const { perSecond, capacity, hasSpike } = plot;
  const seconds = perSecond.length;
  const max = Math.max(1.4 * capacity, ...perSecond);
  const x = (second: number) => area.left + (second / seconds) * (area.right - area.left);
  const y = (value: number) => area.bottom - (value / max) * (area.bottom - area.top);
  const image = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    role: 'img',
    'aria-label': describe(plot),
  });
  if (hasSpike) {
    const band = { x: x(spike.from), width: x(spike.to) - x(spike.from) };
    const rows = { y: area.top, height: area.bottom - area.top };
    image.append(svg('rect', { class: 'band', ...band, ...rows }));
    const at = { x: x((spike.from + spike.to) / 2), y: area.top + 11, 'text-anchor': 'middle' };
    image.append(svg('text', at, 'spike'));
  }
  const ticks = Array.from({ length: seconds / TICK_SECONDS + 1 }, (_, i) => i * TICK_SECONDS);
  for (const second of ticks) {
    const anchor = second === 0 ? 'start' : second === seconds ? 'end' : 'middle';
    const label = `${second}${second === seconds ? ' s' : ''}`;
    image.append(svg('text', { x: x(second), y: height - 5, 'text-anchor': anchor }, label));
  }
  for (const value of [0, capacity]) {
    const line = { x1: area.left, x2: area.right, y1: y(value), y2: y(value) };
    image.append(svg('line', { class: value === 0 ? 'axis' : 'capacity', ...line }));
    const at = { x: area.left - 4, y: y(value) + 4, 'text-anchor': 'end' };
    image.append(svg('text', at, `${value}`));
  }
  const above = { x: area.left + 2, y: y(capacity) - 6 };
  image.append(svg('text', above, 'capacity'));
  // Each value is the mean of its second, so its point is in the middle.
  const points = perSecond.map((value, second) => `${x(second + 0.5)},${y(value)}`).join(' ');
  const ends = [x(seconds - 0.5), x(0.5)].map((end) => `${end},${area.bottom}`).join(' ');
  image.append(svg('polygon', { class: 'area', points: `${points} ${ends}` }));
  image.append(svg('polyline', { class: 'answered', points }));
  return image;
}

/** The text alternative: the mean of each five seconds. */
function describe({ title, perSecond, capacity, hasSpike }: Plot): string {
  const means: string[] = [];
  for (let from = 0; from < perSecond.length; from += TICK_SECONDS) {
    const part = perSecond.slice(from, from + TICK_SECONDS);
    const mean = part.reduce((sum, value) => sum + value, 0) / part.length;
    means.push(`${Math.round(mean)} from second ${from} to ${from + part.length}`);
  }
  const during = hasSpike ? ` A spike lasts from second ${spike.from} to ${spike.to}.` : '';
  return `${title}: calls answered in time, per second, of a capacity of ${capacity}: ${means.join(', ')}.${during}`;
}
