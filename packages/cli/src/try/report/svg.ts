import type { Phase } from '../../load/index.ts';

export interface Frame {
  readonly x: (milliseconds: number) => number;
  readonly y: (value: number) => number;
  readonly plot: { left: number; right: number; top: number; bottom: number };
}

const width = 420;
const margin = { left: 44, right: 10, top: 14, bottom: 32 };

/** When the last phase ends, in milliseconds. */
export const endOf = (phases: readonly Phase[]) =>
  phases.reduce((sum, { duration }) => sum + duration, 0);

/** Escapes text for HTML, attributes included. */
export const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

export const round = (value: number) => Math.round(value * 10) / 10;

export function frameOf(height: number, time: number, yMax: number): Frame {
  const plot = {
    left: margin.left,
    right: width - margin.right,
    top: margin.top,
    bottom: height - margin.bottom,
  };
  return {
    x: (at) => round(plot.left + (at / time) * (plot.right - plot.left)),
    y: (value) => round(plot.bottom - (value / yMax) * (plot.bottom - plot.top)),
    plot,
  };
}

/** An SVG with an accessible name. */
export function svg(height: number, name: string, parts: readonly string[]): string {
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(name)}">${parts.join('')}</svg>`;
}

/** Grid lines and labels for the values, and labels for the time. */
export function axes(
  { x, y, plot }: Frame,
  time: number,
  values: readonly number[],
  label: (value: number) => string,
): string {
  const rows = values.map(
    (value) =>
      `<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${y(value)}" y2="${y(value)}"/>` +
      `<text class="tick" x="${plot.left - 8}" y="${y(value) + 4}" text-anchor="end">${escapeHtml(label(value))}</text>`,
  );
  const columns = ticks(time / 1_000, 5).map(
    (second) =>
      `<text class="tick" x="${x(second * 1_000)}" y="${plot.bottom + 18}" text-anchor="middle">${second} s</text>`,
  );
  return [...rows, ...columns].join('');
}

interface Span {
  readonly from: number;
  readonly to: number;
}

export const spikeBand = ({ x, plot }: Frame, { from, to }: Span) =>
  `<rect class="spike" x="${x(from)}" y="${plot.top}" width="${round(x(to) - x(from))}" height="${plot.bottom - plot.top}"/>`;

/** Round numbers from 0 to at most `max`, about `count` of them. */
export function ticks(max: number, count: number): number[] {
  const rough = max / count;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude;
  return Array.from({ length: Math.floor(max / step) + 1 }, (_, index) => index * step);
}
