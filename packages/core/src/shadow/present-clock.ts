import { type Clock, startTimer } from '../clock.ts';
import type { SimulationClock } from './virtual-clock.ts';

/** The clock of the process, for a simulation. Its timers do not keep the process alive. */
export function presentClock(clock: Clock, random: () => number): SimulationClock {
  return {
    advance() {},
    random,
    now: () => clock.now(),
    setTimeout: (callback, delay) => startTimer(clock, delay, callback, true),
    clearTimeout: (cancel) => (cancel as () => void)(),
  };
}
