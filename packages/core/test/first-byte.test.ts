import { Caller } from '@headgate/test-kit/caller';
import { lcg } from '@headgate/test-kit/lcg';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { adaptive, createGate, createLimiter, type Limiter } from '../src/index.ts';

interface Upstream {
  /** Milliseconds until the first token. */
  firstToken(inflight: number): number;
  /** Milliseconds from the first token to the last one. */
  streaming(): number;
}

/**
 * Clients that send a request as soon as their last one has been answered. Each permit is marked at the first token of
 * its answer.
 */
class Clients {
  readonly #clock = new VirtualClock();
  readonly limiter: Limiter;

  constructor(
    count: number,
    public upstream: Upstream,
    private readonly marks = true,
  ) {
    const clock = this.#clock;
    this.limiter = createLimiter({
      limit: adaptive({ initial: 20, max: 200 }),
      queueLimit: Infinity,
      queueTimeout: Infinity,
      clock,
    });
    for (let i = 0; i < count; i++) this.#ask();
  }

  run(milliseconds: number): number {
    this.#clock.advance(milliseconds);
    return this.limiter.limit;
  }

  #ask(): void {
    const { limiter } = this;
    const onGranted = () => {
      const { firstToken, streaming } = this.upstream;
      this.#clock.setTimeout(() => {
        if (this.marks) caller.permit?.mark();
        this.#clock.setTimeout(() => {
          caller.permit?.release();
          this.#ask();
        }, streaming());
      }, firstToken(limiter.inflight));
    };
    const caller: Caller = new Caller({ onGranted });
    limiter.request(caller);
  }
}

const random = lcg(11);
/** Log-normal around 1. */
const spread = (sigma: number) =>
  Math.exp(sigma * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()));

it.each([0, 0.5, 1])('answers three times as long do not lower the limit (spread %f)', (sigma) => {
  const upstream = (length: number): Upstream => ({
    firstToken: () => 200,
    streaming: () => length * spread(sigma),
  });
  const clients = new Clients(40, upstream(1_000));
  const before = clients.run(120_000);
  clients.upstream = upstream(3_000);
  const after = clients.run(120_000);
  expect(after / before).toBeGreaterThan(0.9);
  expect(after / before).toBeLessThan(1.1);
});

it('an upstream that becomes slower to its first token lowers the limit', () => {
  const streaming = () => 1_000;
  const clients = new Clients(150, { firstToken: () => 200, streaming });
  const before = clients.run(120_000);
  // It works on 30 at a time.
  clients.upstream = { firstToken: (inflight) => 200 * Math.max(1, inflight / 30), streaming };
  expect(clients.run(120_000)).toBeLessThan(0.7 * before);
});

it('a release without a mark is judged as before', () => {
  const clients = new Clients(40, { firstToken: () => 200, streaming: () => 1_000 }, false);
  expect(clients.run(60_000)).toBeGreaterThan(20);
});

it('mark() counts once, and has no effect after the release or at a fixed limit', () => {
  const clock = new VirtualClock();
  const samples: number[] = [];
  const limit = {
    create: () => ({ limit: 10, sample: ({ rtt }: { rtt: number }) => void samples.push(rtt) }),
  };
  const limiter = createLimiter({ limit, clock });
  const permit = limiter.tryAcquire();
  clock.advance(5);
  permit?.mark();
  clock.advance(5);
  permit?.mark();
  permit?.release();
  permit?.mark();
  expect(samples).toEqual([5]);
  const fixed = createLimiter({ limit: 1 }).tryAcquire();
  fixed?.mark();
  fixed?.release();
});

it('a request that fails after its first byte is still reported as dropped', () => {
  const clock = new VirtualClock();
  const outcomes: string[] = [];
  const limit = {
    create: () => ({
      limit: 10,
      sample: ({ outcome }: { outcome: string }) => void outcomes.push(outcome),
    }),
  };
  const gate = createGate({
    limits: [
      { name: 'a', limit },
      { name: 'b', limit: 3 },
    ],
    clock,
  });
  void gate.acquire().then((permit) => {
    permit.mark();
    permit.release('dropped');
  });
  return Promise.resolve().then(() => expect(outcomes).toEqual(['ok', 'dropped']));
});

it('a streamed answer that was judged is not stuck work', () => {
  const clients = new Clients(60, { firstToken: () => 200, streaming: () => 60_000 });
  const before = clients.run(1_000);
  // Requests wait, and would be rejected if the queue had a bound; none of the answers ends for a minute.
  expect(clients.run(50_000)).toBe(before);
});
