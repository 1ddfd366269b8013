import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  adaptive,
  createGate,
  createLimiter,
  type Gate,
  type Guard,
  type Limiter,
  type LocalLimiter,
  type Permit,
  RejectedError,
} from '@headgate/core';
import type { Measurable } from '@headgate/core/metrics';
import { serverStore } from '@headgate/server-client';
import { type Store, StoreError } from '@headgate/store-kit';
import { Memory, memoryStore } from '@headgate/store-kit/memory-store';
import { VirtualClock } from '@headgate/test-suite';

const guard: Guard = {
  name: 'guard',
  admits: (priority) => priority !== 'low',
  stats: () => ({ delay: 30, shedding: 0.5 }),
};

const LEASE = 10_000;

/** A limit of two apps, which count it together. */
export const sharedLimit = { name: 'shared', limit: 4 };

/** An app with limits of every kind, and everything that the alerts are about. Its time is virtual. */
export class ObservedApp {
  readonly #clock = new VirtualClock();
  readonly #web: LocalLimiter;
  readonly #stuck: LocalLimiter;
  readonly #shadow: LocalLimiter;
  readonly #api: Gate;
  /** Of the limit `account`. Its messages do not arrive. */
  readonly #store: Store;
  readonly #account: Limiter;
  readonly #shared: Limiter;
  /** Another process with the limit `account`, whose state expires by `#serverClock`. */
  readonly #other: Limiter;
  readonly #serverClock = new VirtualClock();
  readonly #permits: Permit[] = [];

  /** Its store becomes unavailable. */
  readonly #orders: Limiter;

  /**
   * @param name The prefix of its limits' names.
   * @param sharedMemory What counts the limit of both apps.
   * @param url A semaphore service, which counts another limit.
   */
  constructor(name: string, sharedMemory: Memory, url: string) {
    const clock = this.#clock;
    const queue = { queueLimit: 1, queueTimeout: 600_000, clock };
    const observer = { leaked() {}, store() {} };
    this.#web = createLimiter({ name: `${name} web`, limit: 1, maxHold: 500, ...queue });
    this.#web.observe(observer);
    this.#stuck = createLimiter({ name: `${name} stuck`, limit: 1, ...queue });
    this.#shadow = createLimiter({ name: `${name} shadow`, limit: 1, queueLimit: 0, clock });
    this.#shadow.shadow();
    const search = createLimiter({ name: `${name} search`, limit: adaptive(), ...queue });
    const user = { name: `${name} user`, limit: 100, perKey: true, optional: true };
    this.#api = createGate({
      name: `${name} api`,
      limits: [user, { limiter: search }],
      guard,
      queueLimit: 1,
      clock,
    });
    const memory = new Memory({ clock: this.#serverClock });
    const account = (store: Store) => {
      const limiter = createLimiter({ name: `${name} account`, limit: 1, store, ...queue });
      limiter.observe(observer);
      return limiter;
    };
    this.#store = memoryStore({ memory, clock, leaseDuration: LEASE, name: `${name} leases` });
    this.#account = account(this.#store);
    const { listen } = this.#store;
    this.#store.listen = (listener) => {
      listener.muted?.(new StoreError('ERR_HEADGATE_STORE_DOWN', 'messages do not arrive'));
      return listen.call(this.#store, listener);
    };
    this.#other = account(memoryStore({ memory, clock: this.#serverClock, leaseDuration: LEASE }));
    const store = serverStore({ url });
    this.#orders = createLimiter({ name: `${name} orders`, limit: 3, store });
    this.#orders.observe(observer);
    const shared = memoryStore({ memory: sharedMemory });
    this.#shared = createLimiter({ ...sharedLimit, store: shared });
  }

  get limits(): Measurable[] {
    return [
      this.#store,
      this.#web,
      this.#stuck,
      this.#shadow,
      this.#api,
      this.#account,
      this.#orders,
      this.#shared,
    ];
  }

  /** Fills one limit, and lets a request wait there for longer than two seconds. */
  async start(): Promise<void> {
    this.#stuck.tryAcquire();
    void this.#stuck.acquire();
    this.#clock.advance(2_000);
    await this.#orders.run(() => {});
    this.#permits.push(await this.#shared.acquire());
  }

  /** Adds to each counter that an alert is about, and to both histograms. */
  async work(): Promise<void> {
    await this.#search();
    await this.#shadow.run(() => this.#shadow.run(() => {}));
    await this.#leak();
    await this.#loseLease();
    await this.#orders.acquire().then(
      (permit) => permit.release(),
      () => {},
    );
  }

  async close(): Promise<void> {
    for (const permit of this.#permits) permit.release();
    await Promise.all(
      [this.#shared, this.#account, this.#other, this.#orders].map((limiter) => limiter.close()),
    );
  }

  async #search(): Promise<void> {
    for (let count = 0; count < 100; count++) {
      const permit = await this.#api.acquire();
      this.#clock.advance(10);
      permit.release();
    }
    await rejected(this.#api.acquire({ priority: 'low' }));
  }

  /** A request leaks its permit; one waits meanwhile, one is rejected, and one is withdrawn. */
  async #leak(): Promise<void> {
    const abort = new AbortController();
    this.#web.tryAcquire();
    const withdrawn = this.#web.acquire({ signal: abort.signal }).catch(() => {});
    await rejected(this.#web.acquire());
    abort.abort();
    await withdrawn;
    const waiting = this.#web.acquire();
    this.#clock.advance(500);
    (await waiting).release();
  }

  /** The lease of a permit expires, and another process removes it. */
  async #loseLease(): Promise<void> {
    const permit = await this.#account.acquire();
    this.#serverClock.advance(LEASE + 1);
    (await this.#other.acquire()).release();
    this.#clock.advance(LEASE + 1);
    permit.release();
    const next = await this.#other.acquire();
    this.#serverClock.advance(LEASE + 1);
    await this.#account.run(() => {});
    next.release();
  }
}

async function rejected(request: Promise<Permit>): Promise<void> {
  await request.then(
    () => {
      throw new Error('it was admitted');
    },
    (error: unknown) => {
      if (!(error instanceof RejectedError)) throw error;
    },
  );
}

/** Serves metrics on a port of 127.0.0.1. */
export async function serve(listener: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}
