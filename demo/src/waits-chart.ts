import type { Outcome } from './client.ts';
import type { Comparison, Run } from './comparison.ts';
import { seconds } from './format.ts';
import { clientTimeout } from './plan.ts';
import { axes, type Frame, frameOf, round, spikeBand, svg } from './svg.ts';

const height = 210;

/** One mark per request: when it was sent, how long it waited, and its outcome. */
export function waitsChart(run: Run, comparison: Comparison, name: string): string {
  const [, spike, { to: end }] = comparison.phases;
  const frame = frameOf(height, end, clientTimeout * 1.12);
  const marks = (outcome: Outcome, draw: (x: number, y: number) => string) =>
    `<path class="${outcome}" d="${marksOf(run, outcome, frame, draw)}"/>`;
  return svg(height, `${name}: wait of each request`, [
    spikeBand(frame, spike),
    axes(frame, end, [0, clientTimeout / 2, clientTimeout], seconds),
    marks('gaveUp', cross),
    marks('rejected', upright),
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
    .map(({ due, took }) => draw(x(due), y(Math.min(took, clientTimeout * 1.1))))
    .join('');
}

// The three marks differ in shape as well as in colour. A dot is a line of length 0 with round ends.
export const dot = (x: number, y: number) => `M${x} ${y}h0`;
export const upright = (x: number, y: number) => `M${x} ${round(y - 4)}v8`;
export const cross = (x: number, y: number) =>
  `M${round(x - 2.5)} ${round(y - 2.5)}l5 5M${round(x - 2.5)} ${round(y + 2.5)}l5 -5`;
