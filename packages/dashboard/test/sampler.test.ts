import { AsyncLocalStorage } from 'node:async_hooks';
import {
  createGate,
  createLimiter,
  type Gate,
  type Handle,
  type LocalLimiter,
  systemClock,
} from '@headgate/core';
import { WatchedRequest } from '@headgate/test-kit/watched-request';
import { VirtualClock } from '@headgate/test-suite';
import { collectWarnings } from '@headgate/test-suite/kit';
import { expect, it } from 'vitest';
import { History } from '../src/history.ts';
import type { Snapshot } from '../src/messages.ts';
import type { Sink } from '../src/page-request.ts';
import { Sampler } from '../src/sampler.ts';
import { Viewers } from '../src/viewers.ts';

function scene(limits: () => readonly Handle[] = () => []) {
  const clock = new VirtualClock();
  let reads = 0;
  const sampler = new Sampler(() => {
    reads++;
    return limits();
  }, clock);
  return { clock, sampler, reads: () => reads };
}

/** The names of the limits in each snapshot from now on. */
function namesSeen(sampler: Sampler): readonly string[] {
  const names: string[] = [];
  sampler.start();
  sampler.watch((snapshot) => {
    names.push(snapshot.limits.map(({ name }) => name).join());
  });
  return names;
}

/** A viewer that reads only if the test does. */
class TestSink implements Sink {
  messages: string[] = [];
  pending = 0;
  state = 'open';
  write(text: string): void {
    this.messages.push(text);
  }
  end(): void {
    this.state = 'ended';
  }
  destroy(): void {
    this.state = 'destroyed';
  }
}

it('the sampler records a history without viewers, of the first 1,000 limits at most, until it is closed', () => {
  const limits = Array.from({ length: 1_001 }, (_, i) => createLimiter({ name: `${i}`, limit: 1 }));
  const { clock, sampler, reads } = scene(() => limits);
  clock.advance(60_000);
  expect([reads(), clock.armed]).toEqual([0, 0]);
  sampler.start();
  clock.advance(3_000);
  expect(reads()).toBe(3);
  const { limits: views } = sampler.current;
  expect(views).toHaveLength(1_001);
  const samples = Object.values(sampler.history.since(0, views));
  expect([samples[0]?.length, samples[999]?.length, samples[1_000]]).toEqual([
    ...[4, 4],
    [[clock.now(), 0, 0, 1, 0, 0]],
  ]);
  sampler.close();
  clock.advance(60_000);
  expect([reads(), clock.armed]).toEqual([4, 0]);
});

it('the sampler creates no views without viewers', () => {
  const limiter = createLimiter({ name: 'a', limit: 1 });
  let views = 0;
  Object.defineProperty(limiter, 'state', {
    get: () => {
      views++;
      return 'open';
    },
  });
  const { clock, sampler } = scene(() => [limiter]);
  sampler.start();
  clock.advance(60_000);
  expect(views).toBe(0);
  for (let i = 0; i < 50; i++) sampler.current;
  expect(views).toBe(1);
  sampler.watch(() => {});
  clock.advance(3_000);
  expect(views).toBe(4);
});

it('the sampler of an app that was dropped without closing its dashboard is garbage-collected', async () => {
  const app = new WatchedRequest();
  await app.run(() => {
    const own = AsyncLocalStorage.snapshot();
    new Sampler(() => own(() => []), systemClock).start();
  });
  expect(await app.remains()).toEqual([]);
});

it('the sampler reads statistics once per second, however many viewers there are', () => {
  const { clock, sampler, reads } = scene();
  const viewers = new Viewers(sampler);
  const sinks = Array.from({ length: 100 }, () => new TestSink());
  sampler.start();
  const leave = sinks.map((sink) => viewers.join(sink, clock.now()));
  clock.advance(10_000);
  expect(reads()).toBe(10);
  expect(sinks.every(({ messages }) => messages.length === 10)).toBe(true);
  for (const each of leave) each();
  clock.advance(10_000);
  expect(reads()).toBe(20);
  expect(sinks.every(({ messages }) => messages.length === 10)).toBe(true);
});

it('the sampler has room for 1,000 viewers', () => {
  const { clock, sampler } = scene();
  const viewers = new Viewers(sampler);
  const leave = Array.from({ length: 999 }, () => viewers.join(new TestSink(), clock.now()));
  expect(viewers.isFull).toBe(false);
  viewers.join(new TestSink(), clock.now());
  expect(viewers.isFull).toBe(true);
  leave[0]?.();
  expect(viewers.isFull).toBe(false);
});

it('the sampler keeps five minutes of history, and forgets a limit that is gone', () => {
  const limits = [createLimiter({ name: 'a', limit: 1 }), createLimiter({ name: 'b', limit: 2 })];
  const { clock, sampler } = scene(() => limits);
  sampler.start();
  let latest: Snapshot = sampler.current;
  sampler.watch((snapshot) => {
    latest = snapshot;
  });
  const views = latest.limits;
  const lengths = () => Object.values(sampler.history.since(0, views)).map(({ length }) => length);
  clock.advance(600_000);
  expect(lengths()).toEqual([300, 300]);
  const [b] = limits.splice(1);
  clock.advance(1_000);
  expect(latest.limits.map(({ name }) => name)).toEqual(['a']);
  limits.push(b as LocalLimiter);
  clock.advance(10_000);
  expect(lengths()).toEqual([300, 10]);
});

it('the history omits what is older than five minutes if the process was frozen', () => {
  const { clock, sampler } = scene(() => [createLimiter({ name: 'a', limit: 1 })]);
  const history = new History();
  const { limits } = sampler.current;
  for (const at of [1_000, 2_000, 301_500, 302_500]) history.add(at, limits);
  const [samples] = Object.values(history.since(0, limits));
  expect(samples?.map(([at]) => at)).toEqual([301_500, 302_500]);
  expect(clock.armed).toBe(0);
});

it('the sampler drops a viewer that does not read its stream, and no other', () => {
  const { clock, sampler } = scene();
  const viewers = new Viewers(sampler);
  sampler.start();
  const [reader, stuck] = [new TestSink(), new TestSink()];
  for (const sink of [reader, stuck]) viewers.join(sink, clock.now());
  stuck.pending = 256 * 1024;
  clock.advance(1_000);
  expect([reader.state, stuck.state]).toEqual(['open', 'open']);
  stuck.pending += 1;
  clock.advance(1_000);
  expect([reader.state, stuck.state]).toEqual(['open', 'destroyed']);
  clock.advance(1_000);
  expect([reader.messages.length, stuck.messages.length]).toEqual([3, 1]);
});

it('the sampler ends a stream after a quarter of an hour, so that its browser is authorized again', () => {
  const { clock, sampler } = scene();
  const viewers = new Viewers(sampler);
  sampler.start();
  const sink = new TestSink();
  viewers.join(sink, clock.now());
  clock.advance(899_000);
  expect(sink.state).toBe('open');
  clock.advance(1_000);
  expect(sink.state).toBe('ended');
});

it('the sampler shows the limits known so far if the function of the app fails, and warns once per failure', () => {
  const warnings = collectWarnings('HEADGATE_DASHBOARD_LIMITS');
  const limits = [createLimiter({ name: 'a', limit: 1 })];
  let fails = false;
  const { clock, sampler } = scene(() => {
    if (fails) throw new Error('no limits today');
    return limits;
  });
  const names = namesSeen(sampler);
  clock.advance(1_000);
  fails = true;
  clock.advance(2_000);
  fails = false;
  clock.advance(1_000);
  fails = true;
  clock.advance(1_000);
  expect(names).toEqual(['a', 'a', 'a', 'a', 'a']);
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toContain('no limits today');
});

it.each([
  ['a symbol', Symbol('no limits'), 'Symbol(no limits)'],
  ['undefined', undefined, 'undefined'],
  ['an object without a text', Object.create(null), 'an object that has no text'],
])('warns if the function of the app throws %s', (_name, thrown, text) => {
  const warnings = collectWarnings('HEADGATE_DASHBOARD_LIMITS');
  const { sampler } = scene(() => {
    throw thrown;
  });
  expect(sampler.current.limits).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining(text)]);
});

it('the sampler shows all other limits if the statistics of one throw, and warns once per failure', () => {
  const warnings = collectWarnings('HEADGATE_STATS');
  let fails = false;
  const own = createLimiter({ name: 'own', limit: 5 });
  const stats = own.stats.bind(own);
  own.stats = () => {
    if (fails) throw new Error('no statistics');
    return stats();
  };
  const a = createLimiter({ name: 'a', limit: 1 });
  const b = createLimiter({ name: 'b', limit: 1 });
  const gate = createGate({ name: 'gate', limits: [{ limiter: own }, { limiter: b }] });
  const { clock, sampler } = scene(() => [a, own, gate]);
  const names = namesSeen(sampler);
  clock.advance(1_000);
  fails = true;
  clock.advance(2_000);
  fails = false;
  clock.advance(1_000);
  expect(names).toEqual(['a,own,gate,b', 'a,b', 'a,b', 'a,own,gate,b']);
  expect(warnings.map((each) => each.split(' cannot')[0])).toEqual([
    'the statistics of limit "own"',
    'the statistics of the limits "own", "b"',
  ]);
});

it('the sampler shows a limiter that several gates reuse once, with the requests of all', async () => {
  const shared = createLimiter({ name: 'shared', limit: 1, queueLimit: 0 });
  const [first, second] = ['first', 'second'].map((name) =>
    createGate({ name, limits: [{ limiter: shared }] }),
  ) as [Gate, Gate];
  const several = createGate({
    name: 'several',
    limits: [{ name: 'user', limit: 1, perKey: true }, { limiter: shared }],
  });
  const permit = await first.acquire();
  for (const gate of [first, first, second]) await gate.acquire().catch(() => {});
  const { sampler } = scene(() => [first, first, several, second]);
  expect(sampler.current.limits).toMatchObject([
    { name: 'shared', gate: undefined, inflight: 1, admitted: 1, rejected: { full: 3 } },
    { name: 'several' },
    { name: 'user', gate: 'several' },
  ]);
  permit.release();
  const other = scene(() => [several, shared, second]);
  expect(other.sampler.current.limits).toMatchObject([
    { name: 'several' },
    { name: 'user', gate: 'several' },
    { name: 'shared', gate: 'several', inflight: 0, rejected: { full: 3 } },
  ]);
});
