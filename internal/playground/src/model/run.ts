import { exponentialBackoff } from '@headgate/simulator/backoff';
import {
  type Answer,
  Client,
  type ClientClock,
  type ClientOptions,
} from '@headgate/simulator/client';
import { Handlers } from '@headgate/simulator/event-loop/handlers';
import { SimulatedLoop } from '@headgate/simulator/event-loop/simulated-loop';
import { randomFrom } from '@headgate/simulator/random';
import type { Settings } from '../settings.ts';
import { type Call, SEED, serverOf } from './calls.ts';
import { type Column, limiterOf } from './limiters.ts';
import { Recorder } from './recorder.ts';
import { type Server, ServerRequest } from './server-request.ts';

/** A client waits for a random time of up to this many milliseconds before its first retry. It doubles with each retry. */
export const BACKOFF_MS = 200;

/** A server behind the limiter of a column, and its clients. */
export class Run {
  readonly recorder: Recorder;
  readonly #server: Server;
  readonly #clientClock: ClientClock;
  readonly #clientOptions: ClientOptions;

  constructor(column: Column, settings: Settings, calls: readonly Call[]) {
    const loop = new SimulatedLoop();
    const random = randomFrom(SEED);
    const clearTimeout = (timer: unknown) => loop.clearTimeout(timer);
    const limiter = limiterOf(column, settings, loop, {
      now: () => loop.now(),
      setTimeout: (callback, delay) => loop.setTimeout(callback, delay),
      clearTimeout,
      random,
    });
    // Not a timer of the loop: what a client does reaches the server as a packet.
    const receive = (callback: () => void, delay: number) => loop.receive(callback, delay);
    this.#clientClock = { setTimeout: receive, clearTimeout, random };
    const { timeout, retries, order } = settings;
    this.#clientOptions = { timeout, retries, backoff: exponentialBackoff(BACKOFF_MS) };
    this.recorder = new Recorder(() => loop.now());
    const handlers = new Handlers(serverOf(settings), loop);
    this.#server = { loop, limiter, handlers, order, recorder: this.recorder };
    loop.expect(calls.map((call) => ({ at: call.at, callback: () => this.#call(call) })));
  }

  /** Advances the virtual clock to this time in milliseconds. */
  runUntil(until: number): void {
    this.#server.loop.runUntil(until);
  }

  #call(call: Call): void {
    const send = (answer: (answer: Answer) => void) => {
      const request = new ServerRequest(this.#server, call, answer);
      request.arrive();
      return () => request.disconnect();
    };
    const client = new Client(this.#clientClock, send, this.#clientOptions);
    client.call((succeeded) => {
      if (succeeded) this.recorder.answeredInTime(call);
    });
  }
}
