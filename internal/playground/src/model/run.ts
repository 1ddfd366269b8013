import type { LocalLimiter } from '@headgate/core';
import { exponentialBackoff } from '@headgate/simulator/backoff';
import { CallbackWaiter } from '@headgate/simulator/callback-waiter';
import {
  type Answer,
  Client,
  type ClientClock,
  type ClientOptions,
} from '@headgate/simulator/client';
import { Handlers } from '@headgate/simulator/event-loop/handlers';
import { SimulatedLoop } from '@headgate/simulator/event-loop/simulated-loop';
import { READ_COST, REJECTION_COST } from '@headgate/simulator/event-loop/workload';
import { randomFrom } from '@headgate/simulator/random';
import type { Settings } from '../settings.ts';
import { type Call, SEED, serverOf } from './calls.ts';
import { type Column, limiterOf } from './limiters.ts';
import { Recorder } from './recorder.ts';

/** A client waits for a random time of up to this many milliseconds before its first retry. It doubles with each retry. */
export const BACKOFF_MS = 200;

/** A server behind the limiter of a column, and its clients. */
export class Run {
  readonly recorder: Recorder;
  readonly #loop = new SimulatedLoop();
  readonly #limiter: LocalLimiter;
  readonly #handlers: Handlers;
  readonly #clientClock: ClientClock;
  readonly #clientOptions: ClientOptions;

  constructor(
    column: Column,
    private readonly settings: Settings,
    calls: readonly Call[],
  ) {
    const loop = this.#loop;
    const random = randomFrom(SEED);
    const clearTimeout = (timer: unknown) => loop.clearTimeout(timer);
    this.#limiter = limiterOf(column, settings, loop, {
      ...{ now: () => loop.now(), clearTimeout, random },
      setTimeout: (callback, delay) => loop.setTimeout(callback, delay),
    });
    // Not a timer of the loop: what a client does reaches the server as a packet.
    const receive = (callback: () => void, delay: number) => loop.receive(callback, delay);
    this.#clientClock = { setTimeout: receive, clearTimeout, random };
    const { timeout, retries } = settings;
    this.#clientOptions = { timeout, retries, backoff: exponentialBackoff(BACKOFF_MS) };
    this.recorder = new Recorder(() => loop.now());
    this.#handlers = new Handlers(serverOf(settings), loop);
    loop.expect(calls.map((call) => ({ at: call.at, callback: () => this.#call(call) })));
  }

  /** Advances the virtual clock to this time in milliseconds. */
  runUntil(until: number): void {
    this.#loop.runUntil(until);
  }

  #call(call: Call): void {
    const send = (answer: (answer: Answer) => void) => this.#request(call, answer);
    const client = new Client(this.#clientClock, send, this.#clientOptions);
    client.call((succeeded) => {
      if (succeeded) this.recorder.answeredInTime(call);
    });
  }

  /** Sends a request. Returns a function that disconnects its client, which does not stop work that has begun. */
  #request({ work, isCritical, tenant }: Call, answer: (answer: Answer) => void): () => void {
    const { order } = this.settings;
    const request = this.recorder.sent();
    this.#loop.spend(READ_COST);
    const waiter = new CallbackWaiter(
      (permit) =>
        this.#handlers.handle(work, () => {
          request.answered();
          permit.release();
          answer({ succeeded: true });
        }),
      ({ retryAfter }) => {
        this.#loop.spend(REJECTION_COST);
        request.rejected();
        answer({ succeeded: false, retryAfter });
      },
    );
    // As in a middleware without the options `priority` and `fairBy`.
    if (order === 'byPriority' && isCritical) waiter.priority = 'critical';
    if (order === 'fair') waiter.fairBy = `tenant ${tenant}`;
    waiter.requestFrom(this.#limiter);
    return () => {
      request.timedOut();
      this.#limiter.withdraw(waiter);
    };
  }
}
