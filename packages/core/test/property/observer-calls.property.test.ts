import { Caller } from '@headgate/test-kit/caller';
import { assertFor, patience } from '@headgate/test-kit/property';
import { VirtualClock } from '@headgate/test-suite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  createLimiter,
  fair,
  type LimiterOptions,
  type LocalLimiter,
  type Observer,
} from '../../src/index.ts';
import type { InProcessLimiter } from '../../src/limiter/in-process-limiter.ts';
import type { BasePermit } from '../../src/semaphore/permit.ts';
import { ScriptedLimit } from '../scripted-limit.ts';
import { pick } from './step.ts';

const kinds = ['admitted', 'queued', 'rejected', 'withdrawn', 'released', 'resized'] as const;

type Call = readonly [name: string, at: number];

/** A limiter. Each callback of its observer, limit algorithm and waiters makes the next random call. */
class Scene {
  readonly clock = new VirtualClock();
  readonly algorithm = new ScriptedLimit(3);
  readonly limiter: LocalLimiter;
  readonly permits: BasePermit[] = [];
  readonly waiters: Caller[] = [];
  /** What the next callbacks do. */
  private pending: Call[] = [];

  constructor(
    private readonly options: Omit<LimiterOptions, 'limit'>,
    isAdaptive: boolean,
    /** Whether permits stop counting, as those of the default limit do, which ignores `mark`. */
    readonly isPaced: boolean,
  ) {
    const limit = isAdaptive ? this.algorithm : 3;
    this.limiter = createLimiter({ ...options, limit, clock: this.clock });
    const next = () => {
      const [first, ...others] = this.pending;
      this.pending = others;
      if (first !== undefined) calls[first[0]]?.(this, first[1]);
    };
    this.limiter.observe(Object.fromEntries(kinds.map((kind) => [kind, next])) as Observer);
    this.algorithm.onSample = next;
  }

  step(call: Call, within: readonly Call[]): void {
    this.pending = [...within];
    calls[call[0]]?.(this, call[1]);
    this.pending = [];
  }

  hold(permit: unknown): void {
    if (permit !== undefined) this.permits.push(permit as BasePermit);
  }

  keyOf(at: number) {
    return this.options.perKey ? { key: `${at % 2}` } : {};
  }

  /** The weight of the permits that are held and count. */
  get held(): number {
    let held = 0;
    for (const permit of this.permits) if (counts(permit)) held += permit.weight;
    return held;
  }

  /** The weight that an adaptive limit has judged already, of permits that are held. */
  get judged(): number {
    return (this.limiter as InProcessLimiter).limitUpdater?.judged ?? 0;
  }
}

/** Whether the permit is held, and has not been paused. */
function counts(permit: BasePermit): boolean {
  const { extra } = permit as unknown as { extra?: { uncounted?: string } };
  return !permit.released && extra?.uncounted === undefined;
}

const calls: Readonly<Record<string, (scene: Scene, at: number) => unknown>> = {
  request: (scene, at) => {
    const waiter = new Caller({
      ...scene.keyOf(at),
      onGranted: (permit) => scene.hold(permit),
    });
    scene.waiters.push(waiter);
    scene.limiter.request(waiter);
  },
  tryAcquire: (scene, at) => scene.hold(scene.limiter.tryAcquire(scene.keyOf(at))),
  adjust: ({ permits }, at) => pick(permits, at)?.adjust(1 + (at % 4)),
  adjustLatest: ({ permits }, at) => permits.at(-1)?.adjust(1 + (at % 4)),
  release: ({ permits }, at) => pick(permits, at)?.release(),
  releaseLatest: ({ permits }) => permits.at(-1)?.release(),
  mark: ({ permits, isPaced }, at) => isPaced || pick(permits, at)?.mark(),
  stopCounting: ({ permits, isPaced }, at) => isPaced && pick(permits, at)?.stopCounting(),
  pauseCounting: ({ permits, isPaced }, at) => isPaced && pick(permits, at)?.pauseCounting(),
  countAgain: ({ permits }, at) => pick(permits, at)?.countAgain(),
  withdraw: ({ limiter, waiters }, at) => {
    const waiter = pick(waiters, at);
    if (waiter !== undefined) limiter.withdraw(waiter);
  },
  resize: ({ limiter, algorithm }, at) => {
    algorithm.limit = 1 + (at % 5);
    if (!limiter.isAdaptive) limiter.setLimit(algorithm.limit);
  },
  operate: ({ limiter }, at) =>
    limiter[
      pick(['pause', 'rejectAll', 'resume', 'resume', 'shadow', 'enforce'] as const, at) ?? 'resume'
    ](),
  pauseFor: ({ limiter }, at) => {
    limiter.pauseFor(at % 20, limiter.perKey ? pick(['a', 'b'], at) : undefined);
  },
  advance: ({ clock }, at) => clock.advance(at % 15),
};

it(
  'the weight in flight is that of the held permits, whatever observers call',
  async () => {
    const call = fc.tuple(fc.constantFrom(...Object.keys(calls)), fc.nat(50));
    const step = fc.tuple(call, fc.array(call, { maxLength: 4 }));
    const settings = fc.record({
      perKey: fc.boolean(),
      queueLimit: fc.constantFrom(0, 2, 6),
      queueTimeout: fc.constantFrom(10, Number.POSITIVE_INFINITY),
      order: fc.constantFrom(undefined, fair()),
    });
    const property = fc.property(
      settings,
      fc.boolean(),
      fc.boolean(),
      fc.array(step, { maxLength: 60, size: 'max' }),
      (options, isAdaptive, isPaced, steps) => {
        const { perKey } = options;
        const scene = new Scene(options, isAdaptive && !perKey, isPaced && !perKey);
        const { limiter, permits } = scene;
        for (const [taken, within] of steps) {
          scene.step(taken, within);
          expect(limiter.inflight).toBe(scene.held);
        }
        limiter.rejectAll();
        for (const permit of permits) permit.release();
        const { inflight, queued, keys } = limiter.stats();
        expect([inflight, queued, keys, scene.judged]).toEqual([0, 0, 0, 0]);
      },
    );
    await assertFor(property, 500);
  },
  patience,
);
