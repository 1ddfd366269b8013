import { createLimiter, HeadgateError, type Limiter } from '@headgate/core';
import type { Store } from '@headgate/store-kit';
import { vi } from 'vitest';
import { Callers } from './callers.ts';
import type { Choices } from './choices.ts';
import type { InterleavingDriver, InterleavingServer } from './driver.ts';
import { Network } from './network.ts';
import { Operating } from './operating.ts';

/** Milliseconds. These are the defaults of `serverStore` and of the other stores. */
const times = { leaseDuration: 10_000, timeout: 1_000 };
/**
 * Maximum delay of a message in a healthy network, in milliseconds. Two round trips are then shorter than a call's
 * timeout.
 */
const MAX_DELAY = 150;
/** Milliseconds. Less than a third of a lease, so that no renewal happens before. */
const QUEUE_TIMEOUT = 2_000;

export interface SceneOptions {
  readonly limit: number;
  /** Number of callers, alternating between two processes. */
  readonly callers: number;
  /** Whether connections fail and messages are delayed. */
  readonly faults: boolean;
  /** Whether the run also pauses the limit, rejects all requests and switches to shadow mode. */
  readonly operates?: boolean;
}

interface Event {
  readonly name: string;
  run(): void | Promise<void>;
}

/** Callers in two processes, a server, and the network between them. `choices` chooses the network's events. */
export class InterleavingScene {
  readonly network = new Network(() => performance.now());
  /** The events so far, in order. */
  readonly trace: string[] = [];
  readonly breaches = new Set<string>();
  #server!: InterleavingServer;
  #stores: Store[] = [];
  #limiters: Limiter[] = [];
  #operating: Operating | undefined;
  #callers!: Callers;
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
    const common = { name, limit, queueLimit: 100, queueTimeout: QUEUE_TIMEOUT };
    this.#limiters = this.#stores.map((store) => createLimiter({ ...common, store }));
    for (const limiter of this.#limiters) limiter.observe({ lost: () => {}, store: () => {} });
    this.#callers = new Callers(this.#limiters, times.leaseDuration / 2);
    if (this.options.operates) this.#operating = new Operating(this.#limiters);
  }

  /** Runs one event. */
  async step(): Promise<void> {
    const kinds = this.#kinds();
    const events = kinds[this.choices.pick(kinds.length)] as Event[];
    await this.#run(events[this.choices.pick(events.length)] as Event);
  }

  /**
   * One caller holds the limit, and another one requests it. From then on, messages arrive in any order, the first
   * caller releases at any point, and up to `maxFaults` messages are lost. Ends when no event is left to choose.
   */
  async handOver(maxFaults: number): Promise<void> {
    await this.#run(this.#callers.acquire());
    for (let [next] = this.network.events(); next; [next] = this.network.events()) {
      await this.#run(next);
    }
    await this.#run(this.#callers.acquire());
    const [first] = this.#callers.all;
    for (;;) {
      const messages = this.network.events().filter((event) => {
        return !event.isFault || this.#faults < maxFaults;
      });
      const release = this.#callers.releases(first === undefined ? [] : [first]);
      const events = [...messages, ...release];
      if (events.length === 0) return;
      await this.#run(events[this.choices.pick(events.length)] as Event);
    }
  }

  /** Delivers all messages, finishes all callers, and checks that the server has nothing left. */
  async end(): Promise<void> {
    await this.#finish();
    // A lost request may have been executed. Its lease then expires.
    if (this.#faults > 0) await this.#outlive();
    if (this.#operating !== undefined) await this.#compare(this.#operating);
    const { inflight, queued } = await this.#server.count();
    if (inflight + queued > 0) this.#breach(`left behind: ${inflight} held, ${queued} queued`);
  }

  /**
   * Makes one process return to normal operation. Each process then calls the store once, and must know the new state.
   */
  async #compare(operating: Operating): Promise<void> {
    operating.reset();
    // A call that the store executes before that operation would not show whether its process notices it.
    await this.#settled();
    await this.#finish();
    // A process may believe for a second that a pause has not ended.
    await this.#elapse(1_000, 1_000);
    for (const _ of this.#limiters) {
      await this.#run(this.#callers.acquire());
      await this.#finish();
    }
    const disagreement = operating.disagreement();
    if (disagreement !== undefined) this.#breach(`the processes know: ${disagreement}`);
  }

  async #finish(): Promise<void> {
    for (let turn = 0; turn < 400 && !this.#isDone; turn++) {
      const [next] = this.network.events();
      const worked = this.#callers.all.filter((caller) => caller.hasWorked());
      const [release] = this.#callers.releases(worked);
      if (next !== undefined) await this.#run(next);
      else if (release !== undefined) await this.#run(release);
      else await this.#elapse(250, 250);
    }
    if (!this.#isDone) this.#breach('a caller got no reply');
  }

  async close(): Promise<void> {
    let isClosed = false;
    const closed = Promise.all(this.#stores.map((store) => store.close())).finally(() => {
      isClosed = true;
    });
    // Needed since a store may notify its server of the close and wait for the reply.
    for (await this.#settled(); !isClosed; await this.#settled()) {
      const [next] = this.network.events();
      if (next === undefined) await this.#pass(250);
      else next.run();
    }
    await closed;
    await this.#server?.close?.();
  }

  get #isDone(): boolean {
    return this.network.isIdle && this.#callers.areDone;
  }

  /**
   * The possible events by kind, so that a kind with many events is not chosen more often than others. The first kind
   * delivers messages. It is chosen when the list of choices has ended.
   */
  #kinds(): Event[][] {
    const { faults, callers } = this.options;
    const all = this.network.events();
    const messages = all.filter(({ isFault }) => !isFault);
    const time = [10, 60, 1_000, 3_500].map((milliseconds) => ({
      name: `${milliseconds} ms`,
      run: () => this.#elapse(milliseconds),
    }));
    const acquire = this.#callers.all.length < callers ? [this.#callers.acquire()] : [];
    const release = this.#callers.releases();
    const abort = this.#callers.aborts();
    const fault = faults ? all.filter(({ isFault }) => isFault) : [];
    // Messages, acquires and releases have triple weight, since a run in which most callers abort tests little.
    const often = [messages, acquire, release];
    const operate = this.#operating?.events() ?? [];
    return [...often, ...often, ...often, time, time, abort, fault, operate, operate].filter(
      ({ length }) => length > 0,
    );
  }

  async #run({ name, run }: Event): Promise<void> {
    this.trace.push(name);
    if (/^(reset|silence):/.test(name)) this.#faults++;
    await run();
    await this.#settled();
    this.#check();
  }

  /**
   * Advances time in small slices, so that other timers run between them. In a healthy network, no time passes after a
   * message was sent or while a message is late.
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

  /** Advances time until everything has expired that lost messages have left at the server. */
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
    const { running } = this.#callers;
    const { limit } = this.options;
    const breach = this.#operating?.check(
      running,
      limit,
      this.network.isIdle && this.#faults === 0,
    );
    if (breach !== undefined) this.#breach(breach);
    if (this.#operating === undefined && running.length > limit) {
      this.#breach(`callers ${running.map(({ number }) => number).join(' and ')} are running`);
    }
    if (this.#faults > 0) return;
    for (const { number, permit, error } of this.#callers.all) {
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
