import type { Attempt, Outcome } from '../../src/load/index.ts';
import { type Figures, figuresOf, type Pass } from '../../src/try/figures.ts';

const phases = (capacity: number) => [
  { name: 'before', duration: 2_000, rate: capacity / 2 },
  { name: 'spike', duration: 4_000, rate: 5 * capacity },
  { name: 'recovery', duration: 1_000, rate: capacity / 2 },
  { name: 'afterwards', duration: 2_000, rate: capacity / 2 },
];

/** A pass at a capacity of 100/s: of the spike, this part of the capacity is answered, and afterwards this share. */
export function passOf(
  isHooked: boolean,
  spike: number,
  afterwards: number,
  others: Outcome,
): Pass {
  const all = phases(100);
  let from = 0;
  const attempts = all.flatMap(({ name, duration, rate }) => {
    const share = { before: 1, spike: spike / 5 }[name] ?? afterwards;
    const count = (duration / 1_000) * rate;
    const begin = from;
    from += duration;
    return Array.from({ length: count }, (_, index): Attempt => {
      const isAnswered = Math.floor((index + 1) * share + 1e-9) > Math.floor(index * share + 1e-9);
      const at = begin + (index * duration) / count;
      const outcome = isAnswered ? 'answered' : others;
      return { phase: name, at, draw: 0, outcome, late: 1, took: isAnswered ? 0 : 1_000 };
    });
  });
  return { isHooked, capacity: 100, phases: all, attempts };
}

export const figures = (changes: Partial<Figures> = {}): Figures => ({
  ...figuresOf(passOf(false, 1, 1, 'gaveUp')),
  ...changes,
});
