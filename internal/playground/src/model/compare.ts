import type { Settings } from '../settings.ts';
import { callsOf, SECONDS } from './calls.ts';
import { type Figures, figuresOf } from './figures.ts';
import { columns } from './limiters.ts';
import { Run } from './run.ts';

/** Simulated milliseconds between two pauses: enough for the pauses to cost little. */
const STEP_MS = 20;

/**
 * Simulates the columns, one after the other, with the same calls. Yields often, so that the caller can pause it; returns
 * the figures of each column.
 */
export function* compare(settings: Settings): Generator<void, Figures[]> {
  const calls = callsOf(settings);
  const figures: Figures[] = [];
  for (const column of columns) {
    yield;
    const run = new Run(column, settings, calls);
    for (let until = STEP_MS; until <= 1000 * SECONDS; until += STEP_MS) {
      run.runUntil(until);
      yield;
    }
    figures.push(figuresOf(settings, calls, run.recorder));
  }
  return figures;
}
