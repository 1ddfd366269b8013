import { seconds } from './answers-chart.ts';
import type { Outcome } from './client.ts';
import type { Comparison, Run } from './comparison.ts';
import { patience } from './plan.ts';
import { axes, type Frame, frameOf, round, svg, ticks } from './svg.ts';

const height = 210;

/** Each visitor as a mark: when they came, how long they waited, what became of them. */
export function waitsChart(run: Run, comparison: Comparison, name: string): string {
  const [, spike, end] = comparison.phases;
  const frame = frameOf(height, end.to, patience * 1.12);
  const { x, plot } = frame;
  const time = {
    max: end.to,
    ticks: ticks(end.to / 1_000, 6).map((s) => s * 1_000),
    label: seconds,
  };
  const wait = { max: patience, ticks: [0, patience / 2, patience], label: seconds };
  const marks = (outcome: Outcome, draw: (x: number, y: number) => string) =>
    `<path class="${outcome}" d="${marksOf(run, outcome, frame, draw)}"/>`;
  return svg(height, `${name}: how long each visitor waited`, [
    `<rect class="spike" x="${x(spike.from)}" y="${plot.top}" width="${round(x(spike.to) - x(spike.from))}" height="${plot.bottom - plot.top}"/>`,
    axes(frame, time, wait),
    marks('gaveUp', cross),
    marks('turnedAway', upright),
    marks('answered', dot),
  ]);
}

function marksOf(
  { attempts }: Run,
  outcome: Outcome,
  { x, y }: Frame,
  draw: (x: number, y: number) => string,
): string {
  return attempts
    .filter((attempt) => attempt.outcome === outcome)
    .map(({ due, took }) => draw(x(due), y(Math.min(took, patience * 1.1))))
    .join('');
}

// The three differ in shape as well as in colour. A dot is a line of no length with round ends.
export const dot = (x: number, y: number) => `M${x} ${y}h0`;
export const upright = (x: number, y: number) => `M${x} ${round(y - 4)}v8`;
export const cross = (x: number, y: number) =>
  `M${round(x - 2.5)} ${round(y - 2.5)}l5 5M${round(x - 2.5)} ${round(y + 2.5)}l5 -5`;
