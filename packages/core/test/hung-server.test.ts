import { call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { adaptive, createLimiter, type LimitFactory, type Permit } from '../src/index.ts';

/** Milliseconds that a query takes, and number of connections of the pool. */
const usual = 35;
const connections = 10;
/** Milliseconds for which a request is held that called the server while that did not respond. */
const abandonedAfter = 40_000;

/** A limiter in front of handlers that query a database, of which every sixth calls a server before: a request each 5 ms. */
class App {
  readonly clock = new VirtualClock();
  readonly limiter;
  isHung = false;
  #answered = 0;
  #requests = 0;
  /** When each connection is free. */
  readonly #free: number[] = Array.from({ length: connections }, () => 0);

  constructor(limit: LimitFactory) {
    this.limiter = createLimiter({ limit, queueLimit: 50, queueTimeout: 250, clock: this.clock });
  }

  /** Returns the answered part of the requests that do not call the server. */
  run(seconds: number): number {
    this.#answered = 0;
    let others = 0;
    for (let time = 0; time < 1000 * seconds; time += 5) {
      const callsServer = this.#requests++ % 6 === 0;
      if (!callsServer) others++;
      call(this.limiter, { onGranted: (permit) => this.#handle(permit, callsServer) });
      this.clock.advance(5);
    }
    return this.#answered / others;
  }

  #handle(permit: Permit, callsServer: boolean): void {
    permit.kind = callsServer ? 'server' : 'other';
    if (callsServer && this.isHung) {
      this.clock.setTimeout(() => permit.release('ignored'), abandonedAfter);
      return;
    }
    const now = this.clock.now();
    const first = Math.min(...this.#free);
    const done = Math.max(now, first) + usual;
    this.#free[this.#free.indexOf(first)] = done;
    this.clock.setTimeout(() => permit.release(), done - now);
    if (!callsServer) this.#answered++;
  }
}

it('a server that hangs for a minute hardly affects other requests, neither then nor afterwards', () => {
  const app = new App(adaptive({ min: 4, initial: 8, max: 10_000 }));
  expect(app.run(10)).toBe(1);
  app.isHung = true;
  expect(app.run(10)).toBeGreaterThan(0.9);
  expect(app.run(50)).toBeGreaterThan(0.99);
  app.isHung = false;
  expect(app.run(20)).toBeGreaterThan(0.99);
});

it('after a server that held all permits responds again, requests are admitted as permits are released', () => {
  const app = new App(adaptive({ min: 8, initial: 8, max: 300 }));
  app.run(10);
  app.isHung = true;
  app.run(30);
  expect(app.limiter.inflight).toBe(300);
  app.isHung = false;
  expect(app.run(10)).toBe(0);
  app.run(2);
  expect(app.limiter.inflight).toBeGreaterThan(200);
  expect(app.run(10)).toBeGreaterThan(0.9);
});
