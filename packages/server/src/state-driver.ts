import type { Clock } from '@headgate/core';
import { Alarm } from './alarm.ts';
import { History } from './history.ts';
import { Limits } from './limits/limits.ts';
import type { Log } from './log.ts';
import { State } from './state/state.ts';

export interface StateDriverOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly maxPeers: number;
  readonly maxBlocked: number;
}

/** Drives the state with a timer, so that expiries take effect even without requests. */
export class StateDriver {
  readonly state: State;
  readonly limits: Limits;
  readonly log: Log;
  /** What the page shows of the past. */
  readonly history = new History();
  /** Whether the server is closing: requests are no longer blocked. */
  isClosing = false;
  readonly #alarm: Alarm;

  constructor({ clock, log, ...bounds }: StateDriverOptions) {
    this.log = log;
    this.limits = new Limits(clock, bounds.maxPeers);
    this.#alarm = new Alarm(clock, () => this.#ring());
    this.state = new State({
      ...bounds,
      now: () => clock.now(),
      randomId,
      wakeAt: (instant) => this.#alarm.set(instant),
      operated: (now, semaphores) => this.history.record(now, semaphores),
      expired: (peers) => log.warn(`Removed ${peers} peers due to expiration.`),
    });
  }

  close(): void {
    this.isClosing = true;
    this.state.answerAll();
    this.limits.close();
    this.#alarm.stop();
  }

  #ring(): void {
    this.state.advance();
    this.#alarm.set(this.state.next);
  }
}

function randomId(): bigint {
  return (crypto.getRandomValues(new BigUint64Array(1)) as BigUint64Array)[0] as bigint;
}
