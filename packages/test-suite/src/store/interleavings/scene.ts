import { createLimiter, HeadgateError, type Limiter } from '@headgate/core';
import type { Store } from '@headgate/core/shared';
import { vi } from 'vitest';
import { Caller } from './caller.ts';
import type { Choices } from './choices.ts';
import type { InterleavingDriver, InterleavingServer } from './driver.ts';
import { Network } from './network.ts';

/** Milliseconds. What `throttleStore` and the others have by default. */
const times = { lease: 10_000, timeout: 1_000 };
/** Milliseconds that a message takes at most where the network is well: two round trips are shorter than a call. */
const maxDelay = 150;
/** Milliseconds that callers wait at most: less than the third of a lease, so that no renewal comes before. */
const queueTimeout = 2_000;

export interface SceneOptions {
  readonly limit: number;
  /** Callers come from two processes by turns. */
  readonly callers: number;
  /** Whether connections fail, and messages are late. */
  readonly faults: boolean;
}

interface Event {
  readonly name: string;
  run(): void | Promise<void>;
}

/** Callers in two processes, a server, and a network between them that does what the choices say. */
export class InterleavingScene {
  readonly network = new Network(() => performance.now());
  /** What was done, in order. */
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
    const common = { name, limit, queueLimit: 100, queueTimeout, observer };
    this.#limiters = this.#stores.map((store) => createLimiter({ ...common, store }));
  }

  /** One thing happens. */
  async step(): Promise<void> {
    const kinds = this.#kinds();
    const events = kinds[this.choices.pick(kinds.length)] as Event[];
    await this.#run(events[this.choices.pick(events.length)] as Event);
  }

  /**
   * One caller holds the limit, another asks for it. What is sent from now on arrives in any order, and the first caller
   * releases at any time between; of all messages, so many may get lost. Ends when there is nothing left to choose.
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

  /** All that is under way arrives, all callers are done, and the server has nothing left. */
  async end(): Promise<void> {
    for (let turn = 0; turn < 400 && !this.#isOver; turn++) {
      const [next] = this.network.events();
      const holder = this.#callers.find((caller) => caller.hasWorked());
      if (next !== undefined) await this.#run(next);
      else if (holder !== undefined) await this.#run(this.#release(holder));
      else await this.#elapse(250, 250);
    }
    if (!this.#isOver) this.#breach('a caller got no answer');
    // A request that was lost may have been applied: what it made expires.
    if (this.#faults > 0) await this.#outlive();
    const { inflight, queued } = await this.#server.count();
    if (inflight + queued > 0) this.#breach(`left behind: ${inflight} held, ${queued} queued`);
  }

  async close(): Promise<void> {
    let isClosed = false;
    const closed = Promise.all(this.#stores.map((store) => store.close())).finally(() => {
      isClosed = true;
    });
    // A store may tell its server that it closes, and wait for the answer.
    for (await this.#settled(); !isClosed; await this.#settled()) {
      const [next] = this.network.events();
      if (next === undefined) await this.#pass(250);
      else next.run();
    }
    await closed;
    await this.#server?.close?.();
  }

  get #isOver(): boolean {
    const isOpen = ({ isSettled, permit }: Caller) => !isSettled || permit !== undefined;
    return this.network.isIdle && !this.#callers.some(isOpen);
  }

  /**
   * By kind, so that a choice among many messages is no rarer than one of a few others. What a list of choices that has
   * ended takes comes first: messages arrive.
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
    // Messages and callers come thrice, as a run in which most callers abort tells little.
    const often = [messages, acquire, release];
    return [...often, ...often, ...often, time, time, abort, fault].filter(
      ({ length }) => length > 0,
    );
  }

  #acquire(): Event {
    const number = this.#callers.length;
    const run = () => {
      const limiter = this.#limiters[number % this.#limiters.length] as Limiter;
      // Every second caller works for so long that its lease has been renewed by then.
      const caller = new Caller(number, limiter, number % 2 === 0 ? 0 : times.lease / 2);
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
   * In small slices, since others may notice what a timer does at one of them. Where the network is well, time stops when
   * a message is sent, and does not pass while one is late.
   */
  async #elapse(milliseconds: number, slice = 50): Promise<void> {
    const { faults } = this.options;
    for (let left = milliseconds; left > 0; left -= slice) {
      const wasIdle = this.network.isIdle;
      const isLate = !wasIdle && this.network.delay + Math.min(left, slice) > maxDelay;
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

  /** Whatever a lost message has left at the server expires. */
  async #outlive(): Promise<void> {
    for (let passed = 0; passed < 3 * times.lease; passed += 1_000) {
      await this.#elapse(1_000, 1_000);
      for (let [next] = this.network.events(); next; [next] = this.network.events()) {
        await this.#run(next);
      }
    }
  }

  /** What the last event has set going is done, in this process and at the server. */
  async #settled(): Promise<void> {
    await settled();
    if (this.driver.settled === undefined) return;
    await this.driver.settled();
    await settled();
  }

  #check(): void {
    const atWork = this.#callers.filter(({ isAtWork }) => isAtWork);
    if (atWork.length > this.options.limit) {
      this.#breach(`callers ${atWork.map(({ number }) => number).join(' and ')} are at work`);
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

/** What the last event has set going in this process is done. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
