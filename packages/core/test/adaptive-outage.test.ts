import { call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { adaptive, createLimiter, type Outcome } from '../src/index.ts';

/** Eight callers that always have work. Calls take 20 ms, or 200 ms while they fail. */
class Callers {
  readonly clock = new VirtualClock();
  readonly limiter = createLimiter({
    limit: adaptive(),
    queueTimeout: 60_000,
    clock: this.clock,
  });
  outcome: Outcome = 'ok';
  answered = 0;

  constructor() {
    for (let caller = 0; caller < 8; caller++) this.#start();
  }

  /** Returns the answered calls per second. */
  run(seconds: number): number {
    this.answered = 0;
    for (let time = 0; time < 1000 * seconds; time += 10) this.clock.advance(10);
    return this.answered / seconds;
  }

  #start(): void {
    call(this.limiter, {
      onGranted: (permit) => {
        const { outcome } = this;
        this.clock.setTimeout(
          () => {
            if (outcome === 'ok') this.answered++;
            this.#start();
            permit.release(outcome);
          },
          outcome === 'ok' ? 20 : 200,
        );
      },
    });
  }
}

it.each([0, 2, 4, 8, 15, 30])(
  'adaptive() is back within five seconds after all calls were dropped for %i s',
  (seconds) => {
    const callers = new Callers();
    expect(callers.run(10)).toBeGreaterThan(380);
    callers.outcome = 'dropped';
    callers.run(seconds);
    callers.outcome = 'ok';
    callers.run(5);
    expect(callers.run(10)).toBeGreaterThan(380);
  },
);
