import { createLimiter, HeadgateError, type Limiter } from '@headgate/core';
import type { Store } from '@headgate/core/distributed';
import { vi } from 'vitest';
import { Caller } from './caller.ts';
import type { Choices } from './choices.ts';
import type { InterleavingDriver, InterleavingServer } from './driver.ts';
import { Network } from './network.ts';

/** In milliseconds; the defaults of `throttleStore` and the other stores. */
const times = { leaseDuration: 10_000, timeout: 1_000 };
/**
 * Maximum delay of a message in a healthy network, in milliseconds: two round trips are shorter than a call's
 * timeout.
 */
const MAX_DELAY = 150;
/** In milliseconds; less than a third of a lease, so that no renewal happens before. */
const QUEUE_TIMEOUT = 2_000;

export interface SceneOptions {
  readonly limit: number;
  /** Number of callers, alternating between two processes. */
  readonly callers: number;
  /** Whether connections fail and messages are delayed. */
  readonly faults: boolean;
}

interface Event {
  readonly name: string;
  run(): void | Promise<void>;
}

/** Callers in two processes, a server, and a network between them whose events are chosen by `choices`. */
export class InterleavingScene {
  readonly network = new Network(() => performance.now());
  /** The events so far, in order. */
  readonly trace: string[] = [];
  readonly breaches = new Set<string>();
  #server!: InterleavingServer;
  #stores: Store[] = [];
  #limiters: Limiter[] = [];
  readonly #callers: Caller[] = [];
  #faults = 0;

  constructor(
    private readonly driver: InterleavingDriver,
    private readonly options: SceneOptions,
    private readonly choices: Choices,
  ) {}

  async start(): Promise<void> {
    const { limit } = this.options;
    const name = 'interleaved';
    this.#server = await this.driver.start({ network: this.network, name, limit });
    this.#stores = [this.#server.connect(times), this.#server.connect(times)];
    const observer = { lost: () => {}, store: () => {} };
    const common = { name, limit, queueLimit: 100, queueTimeout: QUEUE_TIMEOUT, observer };
    this.#limiters = this.#stores.map((store) => createLimiter({ ...common, store }));
  }

  /** Runs one event. */
  async step(): Promise<void> {
    const kinds = this.#kinds();
    const events = kinds[this.choices.pick(kinds.length)] as Event[];
    await this.#run(events[this.choices.pick(events.length)] as Event);
  }

  /**
   * One caller holds the limit, another requests it. From then on messages arrive in any order, the first caller
   * releases at any point, and up to `maxFaults` messages are lost. Ends when there is no event left to choose.
   */
  async handOver(maxFaults: number): Promise<void> {
    await this.#run(this.#acquire());
    for (let [next] = this.network.events(); next; [next] = this.network.events()) {
      await this.#run(next);
    }
    await this.#run(this.#acquire());
    const [first] = this.#callers;
    for (;;) {
      const messages = this.network.events().filter((event) => {
        return !event.isFault || this.#faults < maxFaults;
      });
      const release = first?.permit === undefined ? [] : [this.#release(first)];
      const events = [...messages, ...release];
      if (events.length === 0) return;
      await this.#run(events[this.choices.pick(events.length)] as Event);
    }
  }

  /** Delivers all messages, finishes all callers, and checks that the server has nothing left. */
  async end(): Promise<void> {
    for (let turn = 0; turn < 400 && !this.#isDone; turn++) {
      const [next] = this.network.events();
      const holder = this.#callers.find((caller) => caller.hasWorked());
      if (next !== undefined) await this.#run(next);
      else if (holder !== undefined) await this.#run(this.#release(holder));
      else await this.#elapse(250, 250);
    }
    if (!this.#isDone) this.#breach('a caller got no reply');
    // A lost request may have been applied; its lease then expires.
    if (this.#faults > 0) await this.#outlive();
    const { inflight, queued } = await this.#server.count();
    if (inflight + queued > 0) this.#breach(`left behind: ${inflight} held, ${queued} queued`);
  }

  async close(): Promise<void> {
    let isClosed = false;
    const closed = Promise.all(this.#stores.map((store) => store.close())).finally(() => {
      isClosed = true;
    });
    // A store may notify its server of the close and wait for the reply.
    for (await this.#settled(); !isClosed; await this.#settled()) {
      const [next] = this.network.events();
      if (next === undefined) await this.#pass(250);
      else next.run();
    }
    await closed;
    await this.#server?.close?.();
  }

  get #isDone(): boolean {
    const isOpen = ({ isSettled, permit }: Caller) => !isSettled || permit !== undefined;
    return this.network.isIdle && !this.#callers.some(isOpen);
  }

  /**
   * The possible events by kind, so that a kind with many events is not chosen more often than others. The first
   * kind, used when the list of choices has ended, delivers messages.
   */
  #kinds(): Event[][] {
    const { faults, callers } = this.options;
    const all = this.network.events();
    const messages = all.filter(({ isFault }) => !isFault);
    const time = [10, 60, 1_000, 3_500].map((milliseconds) => ({
      name: `${milliseconds} ms`,
      run: () => this.#elapse(milliseconds),
    }));
    const waiting = this.#callers.filter(({ isSettled }) => !isSettled);
    const holding = this.#callers.filter(({ permit }) => permit !== undefined);
    const acquire = this.#callers.length < callers ? [this.#acquire()] : [];
    const release = holding.map((caller) => this.#release(caller));
    const abort = waiting.map((caller) => this.#abort(caller));
    const fault = faults ? all.filter(({ isFault }) => isFault) : [];
    // Messages, acquires and releases have triple weight, since a run in which most callers abort tests little.
    const often = [messages, acquire, release];
    return [...often, ...often, ...often, time, time, abort, fault].filter(
      ({ length }) => length > 0,
    );
  }

  #acquire(): Event {
    const number = this.#callers.length;
    const run = () => {
      const limiter = this.#limiters[number % this.#limiters.length] as Limiter;
      // Every second caller holds its permit long enough for its lease to be renewed.
      const caller = new Caller(number, limiter, number % 2 === 0 ? 0 : times.leaseDuration / 2);
      this.#callers.push(caller);
      caller.acquire();
    };
    return { name: `caller ${number} acquires`, run };
  }

  #abort(caller: Caller): Event {
    return { name: `caller ${caller.number} aborts`, run: () => caller.abort() };
  }

  #release(caller: Caller): Event {
    return { name: `caller ${caller.number} releases`, run: () => caller.release() };
  }

  async #run({ name, run }: Event): Promise<void> {
    this.trace.push(name);
    if (/^(reset|silence):/.test(name)) this.#faults++;
    await run();
    await this.#settled();
    this.#check();
  }

  /**
   * Advances time in small slices, so that other timers run between them. In a healthy network, time stops when a
   * message is sent, and does not pass while a message is late.
   */
  async #elapse(milliseconds: number, slice = 50): Promise<void> {
    const { faults } = this.options;
    for (let left = milliseconds; left > 0; left -= slice) {
      const wasIdle = this.network.isIdle;
      const isLate = !wasIdle && this.network.delay + Math.min(left, slice) > MAX_DELAY;
      if (isLate && !faults) return;
      if (isLate) this.#faults++;
      await this.#pass(Math.min(left, slice));
      await this.#settled();
      this.#check();
      if (!faults && wasIdle && !this.network.isIdle) return;
    }
  }

  async #pass(milliseconds: number): Promise<void> {
    if (this.driver.elapse !== undefined) await this.driver.elapse(milliseconds);
    else await vi.advanceTimersByTimeAsync(milliseconds);
  }

  /** Advances time until everything that lost messages have left at the server has expired. */
  async #outlive(): Promise<void> {
    for (let passed = 0; passed < 3 * times.leaseDuration; passed += 1_000) {
      await this.#elapse(1_000, 1_000);
      for (let [next] = this.network.events(); next; [next] = this.network.events()) {
        await this.#run(next);
      }
    }
  }

  /** Waits until the effects of the last event are complete, in this process and at the server. */
  async #settled(): Promise<void> {
    await settled();
    if (this.driver.settled === undefined) return;
    await this.driver.settled();
    await settled();
  }

  #check(): void {
    const running = this.#callers.filter(({ isRunning }) => isRunning);
    if (running.length > this.options.limit) {
      this.#breach(`callers ${running.map(({ number }) => number).join(' and ')} are running`);
    }
    if (this.#faults > 0) return;
    for (const { number, permit, error } of this.#callers) {
      if (permit?.signal.aborted) this.#breach(`caller ${number} has lost its permit`);
      const isStoreError = error instanceof HeadgateError && /STORE/.test(error.code);
      if (isStoreError) this.#breach(`caller ${number} was rejected: ${error.message}`);
    }
  }

  #breach(what: string): void {
    this.breaches.add(what);
  }
}

/** Waits until the effects of the last event in this process are complete. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
