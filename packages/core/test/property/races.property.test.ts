import { assertFor, patience } from '@headgate/test-kit/property';
import { VirtualClock } from '@headgate/test-suite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createGate, createLimiter, map, type Permit } from '../../src/index.ts';

// Promises, aborts and timers in every possible order.

interface Job {
  weight: number;
  key: string;
  /** Number of event-loop iterations that the work takes. */
  turns: number;
  fails: boolean;
  /** A signal that aborts at some time, or has already aborted. */
  aborts: boolean;
  before: boolean;
  /** Jobs may share a signal. */
  signal: number;
  /** Uses `run`, or `acquire` and two explicit releases. */
  byHand: boolean;
  waitsUntil: boolean;
}

const jobs = fc.array(
  fc.record<Job>({
    weight: fc.constantFrom(1, 1, 2, 3),
    key: fc.constantFrom('a', 'b'),
    turns: fc.nat(2),
    fails: fc.constantFrom(false, false, true),
    aborts: fc.constantFrom(false, true),
    before: fc.constantFrom(false, false, false, true),
    signal: fc.nat(9),
    byHand: fc.boolean(),
    waitsUntil: fc.constantFrom(false, false, true),
  }),
  { minLength: 1, maxLength: 14, size: 'max' },
);

interface Entrance {
  acquire(key: string, options: { weight: number; signal: AbortSignal }): Promise<Permit>;
  run(key: string, fn: (permit: Permit) => Promise<void>, options: object): Promise<void>;
  counts(): { holders: number; queued: number };
  close(): Promise<number>;
}

interface World {
  clock: VirtualClock;
  limit: number;
  queueLimit: number;
}

const limiterOf = ({ clock, ...world }: World): Entrance => {
  const limiter = createLimiter({ ...world, clock, queueTimeout: 20 });
  return {
    acquire: (_, options) => limiter.acquire(options),
    run: (_, fn, options) => limiter.run(fn, options),
    counts: () => limiter,
    close: () => limiter.close(),
  };
};

const gateOf = ({ clock, limit, queueLimit }: World): Entrance => {
  const limits = [
    { name: 'user', limit: 1, perKey: true },
    { name: 'app', limit },
  ];
  const gate = createGate({ limits, clock, queueLimit, queueTimeout: 20 });
  const wish = (key: string, { weight, ...options }: { weight: number; signal: AbortSignal }) => ({
    ...{ ...options, keys: { user: key }, weights: { app: weight } },
  });
  return {
    acquire: (key, options) => gate.acquire(wish(key, options)),
    run: (key, fn, options) => gate.run(fn, wish(key, options as never)),
    counts: () => gate,
    close: () => gate.close(),
  };
};

class Failure extends Error {}

/** Does the job, and checks in every iteration that the weight in work does not exceed the limit. */
async function work(job: Job, scheduler: fc.Scheduler, busy: { weight: number; most: number }) {
  busy.weight += job.weight;
  try {
    for (let turn = 0; turn <= job.turns; turn++) {
      expect(busy.weight).toBeLessThanOrEqual(busy.most);
      await scheduler.schedule(Promise.resolve(), 'work');
    }
    if (job.fails) throw new Failure();
  } finally {
    busy.weight -= job.weight;
  }
}

/** A job may only fail with its own error, the reason of its abort, or a rejection. */
function checkEnd(result: PromiseSettledResult<unknown>, job: Job, signal: AbortSignal): void {
  if (result.status === 'fulfilled') expect(job.fails).toBe(false);
  else if (result.reason instanceof Failure) expect(job.fails).toBe(true);
  else if (result.reason === signal.reason) expect(signal.aborted).toBe(true);
  else expect(result.reason).toMatchObject({ code: 'ERR_HEADGATE_REJECTED' });
}

async function race(entrance: Entrance, world: World, list: Job[], scheduler: fc.Scheduler) {
  const busy = { weight: 0, most: world.limit };
  const controllers = Array.from({ length: 10 }, () => new AbortController());
  const does = async (job: Job) => {
    const weight = Math.min(job.weight, world.limit);
    const controller = controllers[job.signal] as AbortController;
    const options = { weight, signal: controller.signal };
    if (job.aborts && job.before) controller.abort(new Error('before'));
    if (job.aborts) {
      void scheduler.schedule(Promise.resolve(), 'abort').then(() => controller.abort());
    }
    const task = { ...job, weight };
    if (!job.byHand) {
      return entrance.run(
        job.key,
        (permit) => {
          if (job.waitsUntil) permit.waitUntil(scheduler.schedule(Promise.resolve(), 'later'));
          return work(task, scheduler, busy);
        },
        options,
      );
    }
    const permit = await entrance.acquire(job.key, options);
    try {
      await work(task, scheduler, busy);
    } finally {
      permit.release();
      permit.release();
    }
  };
  const late = scheduler.schedule(Promise.resolve(), 'time').then(() => world.clock.advance(20));
  const results = await scheduler.waitFor(Promise.allSettled(list.map(does)));
  await scheduler.waitFor(late);
  await scheduler.waitIdle();
  for (const [index, result] of results.entries()) {
    const job = list[index] as Job;
    checkEnd(result, job, (controllers[job.signal] as AbortController).signal);
  }
}

it.each([
  ['limiter', limiterOf],
  ['gate', gateOf],
])(
  'a %s keeps all guarantees in every order of events',
  async (_, create) => {
    let raced = 0;
    const property = fc.asyncProperty(
      ...[fc.scheduler(), jobs, fc.integer({ min: 1, max: 4 }), fc.constantFrom(0, 2, 99)],
      async (scheduler: fc.Scheduler, list: Job[], limit: number, queueLimit: number) => {
        const world = { clock: new VirtualClock(), limit, queueLimit };
        const entrance = create(world);
        await race(entrance, world, list, scheduler);
        raced += list.length;
        const { holders, queued } = entrance.counts();
        expect({ holders, queued, armed: world.clock.armed }).toEqual({
          holders: 0,
          queued: 0,
          armed: 0,
        });
        expect(await entrance.close()).toBe(0);
      },
    );
    const runs = await assertFor(property, 400, 1 / 3);
    expect(raced).toBeGreaterThan(2.5 * runs);
  },
  patience,
);

it(
  'map keeps the order and the limit, whichever item finishes first',
  async () => {
    const property = fc.asyncProperty(
      ...[fc.scheduler(), fc.nat(12), fc.integer({ min: 1, max: 4 }), fc.option(fc.nat(12))],
      async (scheduler: fc.Scheduler, count: number, limit: number, fails: number | null) => {
        const items = Array.from({ length: count }, (_, index) => index);
        let [atWork, most] = [0, 0];
        const started: number[] = [];
        const results = map(
          items,
          async (item) => {
            started.push(item);
            most = Math.max(most, ++atWork);
            await scheduler.schedule(Promise.resolve(), `item ${item}`);
            atWork--;
            if (item === fails) throw new Failure();
            return -item;
          },
          { limit },
        );
        const [result] = await scheduler.waitFor(Promise.allSettled([results]));
        expect(most).toBeLessThanOrEqual(limit);
        expect(started).toEqual(items.slice(0, started.length));
        if (fails !== null && fails < count) {
          expect(result).toMatchObject({ status: 'rejected', reason: expect.any(Failure) });
        } else expect(result).toEqual({ status: 'fulfilled', value: items.map((item) => -item) });
      },
    );
    await assertFor(property, 200, 1 / 3);
  },
  patience,
);
