// Replaces the timers, the time and the random numbers of the process.
import { setImmediate } from 'node:timers/promises';
import { Simulation } from '../simulation.ts';

let simulation = new Simulation();
/** When the current simulation began. Later ones continue from the time of the last, since libraries store timestamps. */
let origin = 0;

class VirtualTimer {
  #event: unknown;

  constructor(
    private readonly callback: () => void,
    private readonly delay: number,
  ) {
    this.refresh();
  }

  refresh(): this {
    this.clear();
    this.#event = simulation.setTimeout(this.callback, this.delay);
    return this;
  }

  clear(): void {
    simulation.clearTimeout(this.#event);
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

type Callback = (...args: unknown[]) => void;

function repeat(callback: Callback, delay = 0, ...args: unknown[]): VirtualTimer {
  const timer: VirtualTimer = new VirtualTimer(
    () => {
      timer.refresh();
      callback(...args);
    },
    Math.max(1, delay),
  );
  return timer;
}

const now = () => origin + simulation.now();
const start = Date.now();
const clear = (timer: unknown) => {
  if (timer instanceof VirtualTimer) timer.clear();
};

Object.assign(globalThis, {
  setTimeout: (callback: Callback, delay = 0, ...args: unknown[]) =>
    new VirtualTimer(() => callback(...args), Math.max(1, delay)),
  setInterval: repeat,
  clearTimeout: clear,
  clearInterval: clear,
});
Object.assign(performance, { now });
Date.now = () => start + now();
Math.random = () => simulation.random();
AbortSignal.timeout = (delay) => {
  const controller = new AbortController();
  const late = () => controller.abort(new DOMException('timeout', 'TimeoutError'));
  setTimeout(late, delay);
  return controller.signal;
};

/** Runs `task` in virtual time, for at most this many milliseconds. The same seed gives the same run. */
export async function inVirtualTime<T>(
  task: () => Promise<T>,
  milliseconds: number,
  seed: number,
): Promise<T> {
  origin = now();
  simulation = new Simulation(seed);
  const result = task();
  await settle();
  while (simulation.due <= milliseconds) {
    simulation.runUntil(simulation.due);
    await settle();
  }
  return result;
}

/** Promises and streams need some iterations of the event loop to settle. */
async function settle(): Promise<void> {
  for (let iteration = 0; iteration < 3; iteration++) await setImmediate();
}
