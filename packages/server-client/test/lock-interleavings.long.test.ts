import { systemClock } from '@headgate/core';
import { createServer, type Server } from '@headgate/server';
import { Network } from '@headgate/test-suite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LockClient } from '../src/lock/client.ts';
import type { Lock } from '../src/lock/lock.ts';
import { SimulatedTransport } from './simulated-transport.ts';

const lease = 10_000;
/** Maximum delay of a message without faults, in milliseconds. */
const maxDelay = 150;

interface Event {
  readonly name: string;
  run(): unknown;
}

/** A caller that locks one semaphore repeatedly, alone or under another lock. */
class Caller {
  lock: Lock | undefined;
  isBusy = false;
  readonly errors: unknown[] = [];
  #abort = new AbortController();
  #began = 0;

  constructor(
    readonly name: string,
    private readonly acquire: (options: { timeout: number; signal: AbortSignal }) => Promise<Lock>,
  ) {}

  get isAtWork(): boolean {
    return this.lock !== undefined && !this.lock.signal.aborted;
  }

  events(): Event[] {
    const event = (name: string, run: () => unknown) => ({ name: `${this.name} ${name}`, run });
    if (this.lock !== undefined) return [event('releases', () => this.release())];
    if (this.isBusy) return [event('aborts', () => this.#abort.abort(new Error('aborted')))];
    return [event('locks', () => this.#lock(1_000)), event('locks briefly', () => this.#lock(40))];
  }

  release(): void {
    void this.lock?.release();
    this.lock = undefined;
  }

  #lock(timeout: number): void {
    this.isBusy = true;
    this.#abort = new AbortController();
    this.#began = performance.now();
    this.acquire({ timeout, signal: this.#abort.signal })
      .then((lock) => {
        this.lock = lock;
        if (performance.now() - this.#began >= timeout) this.errors.push('granted too late');
      })
      .catch((error) => {
        if (error.code !== 'ERR_HEADGATE_REJECTED' && error.message !== 'aborted') {
          this.errors.push(error);
        }
      })
      .finally(() => {
        this.isBusy = false;
      });
  }
}

/** Two owners of an outer lock that lock the same inner semaphore, and a client that locks only the inner one. */
class Scene {
  readonly network = new Network(() => performance.now());
  readonly trace: string[] = [];
  readonly breaches = new Set<string>();
  readonly server: Server = createServer({ semaphores: { outer: { max: 2, level: 1 }, inner: 1 } });
  readonly clients = [this.#client(), this.#client(), this.#client()] as const;
  callers: Caller[] = [];
  faults = 0;

  constructor(private readonly hasFaults: boolean) {}

  async start(): Promise<Lock[]> {
    const [one, other, third] = this.clients;
    const outer = [one.lock('outer'), other.lock('outer')];
    await this.#arrive();
    const held = await Promise.all(outer);
    this.callers = held.map((lock, i) => new Caller(`nested ${i}`, (o) => lock.lock('inner', o)));
    this.callers.push(new Caller('lone', (options) => third.lock('inner', options)));
    return held;
  }

  async step(choice: number): Promise<void> {
    const all = this.network.events();
    const messages = all.filter(({ isFault }) => !isFault);
    const time = [5, 35, 3_400].map((span) => ({
      name: `${span} ms`,
      run: () => this.elapse(span),
    }));
    const faults = this.hasFaults && this.faults < 3 ? all.filter(({ isFault }) => isFault) : [];
    const callers = this.callers.flatMap((caller) => caller.events());
    const kinds = [messages, messages, callers, messages, time, faults];
    const filled = kinds.filter(({ length }) => length > 0);
    const kind = filled[choice % filled.length] as Event[];
    const event = kind[Math.floor(choice / filled.length) % kind.length] as Event;
    if (kind === faults) this.faults++;
    await this.run(event);
  }

  async end(outer: readonly Lock[]): Promise<void> {
    for (let i = 0; i < 200 && !this.#isOver; i++) {
      await this.#arrive();
      for (const caller of this.callers) if (!caller.isBusy) caller.release();
      await this.elapse(50);
    }
    // Requests that were lost are repeated with the next heartbeats: give them the time.
    if (this.hasFaults) for (let i = 0; i < 45; i++) await this.#arriveAfter(500);
    expect(await this.#count('inner'), this.trace.join('\n')).toEqual([0, 0]);
    for (const lock of outer) void lock.release();
    for (let i = 0; i < 60; i++) await this.#arriveAfter(500);
    expect(await this.#count('outer')).toEqual([0, 0]);
    for (const { name, errors } of this.callers) {
      if (!this.hasFaults && errors.length > 0) this.breaches.add(`${name}: ${errors[0]}`);
    }
  }

  async run({ name, run }: Event): Promise<void> {
    this.trace.push(name);
    await run();
    await settled();
    this.#check();
  }

  async elapse(milliseconds: number): Promise<void> {
    for (let left = milliseconds; left > 0; left -= 50) {
      const wasIdle = this.network.isIdle;
      const slice = Math.min(left, 50);
      if (!this.hasFaults && !wasIdle && this.network.delay + slice > maxDelay) return;
      await vi.advanceTimersByTimeAsync(slice);
      await settled();
      this.#check();
      if (!this.hasFaults && wasIdle && !this.network.isIdle) return;
    }
  }

  get #isOver(): boolean {
    return this.network.isIdle && this.callers.every(({ isBusy, lock }) => !isBusy && !lock);
  }

  async #arriveAfter(milliseconds: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(milliseconds);
    await settled();
    await this.#arrive();
  }

  async #arrive(): Promise<void> {
    await settled();
    for (let [next] = this.network.events(); next; [next] = this.network.events()) {
      await this.run(next);
    }
  }

  #check(): void {
    const working = this.callers.filter(({ isAtWork }) => isAtWork);
    if (working.length > 1) this.breaches.add(working.map(({ name }) => name).join(' and '));
    for (const { name, lock } of this.callers) {
      if (!this.hasFaults && lock?.signal.aborted) this.breaches.add(`${name} lost its lock`);
    }
  }

  async #count(semaphore: string): Promise<number[]> {
    const text = await (await this.server.app.request('/metrics')).text();
    return ['acquired', 'pending'].map((metric) => {
      const line = new RegExp(`^throttle_${metric}{semaphore="${semaphore}"} (\\d+)$`, 'm');
      return Number(line.exec(text)?.[1]);
    });
  }

  #client(): LockClient {
    const transport = new SimulatedTransport(this.network, this.server.app);
    // The wall clock is not simulated.
    return new LockClient(transport, lease, systemClock);
  }
}

async function settled(): Promise<void> {
  for (let i = 0; i < 2; i++) await new Promise((resolve) => setImmediate(resolve));
}

describe('lockClient', { timeout: 120_000 }, () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => void vi.useRealTimers());

  test.each([
    ['for any order of messages', false],
    ['over a network with faults', true],
  ])('grants a lock to one owner at a time %s', async (_, hasFaults) => {
    const choices = fc.array(fc.nat(9_999), { minLength: 20, maxLength: 80, size: 'max' });
    const property = fc.asyncProperty(choices, async (list) => {
      const scene = new Scene(hasFaults);
      const outer = await scene.start();
      for (const choice of list) await scene.step(choice);
      await scene.end(outer);
      await scene.server.close();
      expect([...scene.breaches], scene.trace.join('\n')).toEqual([]);
    });
    await fc.assert(property, { numRuns: 150 });
  });
});
