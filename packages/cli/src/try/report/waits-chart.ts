import type { Outcome } from '../../load/index.ts';
import { type Pass, spanOf } from '../figures.ts';
import { milliseconds } from '../format.ts';
import { axes, endOf, frameOf, round, spikeBand, svg } from './svg.ts';

const height = 210;

/** One mark per request: when it was sent, how long it waited, and its outcome. `timeout`: when its client gives up. */
export function waitsChart({ attempts, phases }: Pass, timeout: number, name: string): string {
  const end = endOf(phases);
  const frame = frameOf(height, end, timeout * 1.12);
  const marks = (outcome: Outcome, draw: (x: number, y: number) => string) => {
    const { x, y } = frame;
    const own = attempts.filter((attempt) => attempt.outcome === outcome);
    const drawn = own.map(({ at, took }) => draw(x(at), y(Math.min(took, timeout * 1.1))));
    return `<path class="${outcome}" d="${drawn.join('')}"/>`;
  };
  return svg(height, `${name}: wait of each request`, [
    spikeBand(frame, spanOf(phases, 'spike')),
    axes(frame, end, [0, timeout / 2, timeout], (at) => (at === 0 ? '0' : milliseconds(at))),
    marks('gaveUp', cross),
    marks('failed', cross),
    marks('rejected', upright),
    marks('answered', dot),
  ]);
}

// The three marks differ in shape as well as in colour. A dot is a line of length 0 with round ends.
export const dot = (x: number, y: number) => `M${x} ${y}h0`;
export const upright = (x: number, y: number) => `M${x} ${round(y - 4)}v8`;
export const cross = (x: number, y: number) =>
  `M${round(x - 2.5)} ${round(y - 2.5)}l5 5M${round(x - 2.5)} ${round(y + 2.5)}l5 -5`;
