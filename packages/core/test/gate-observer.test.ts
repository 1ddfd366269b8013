import { Caller } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createGate, createLimiter, type Observer } from '../src/index.ts';
import { askGate } from './ask-gate.ts';

const kinds = ['admitted', 'queued', 'rejected', 'withdrawn', 'released', 'resized', 'leaked'];

function recorded() {
  const events: [string, object][] = [];
  const entries = kinds.map((kind) => [kind, (event: object) => events.push([kind, event])]);
  const observer = Object.fromEntries(entries) as Observer;
  return { observer, seen: () => events.splice(0) };
}

const limits = [
  { name: 'user', limit: 1, perKey: true },
  { name: 'app', limit: 4 },
];

function observed() {
  const clock = new VirtualClock({ random: () => 0 });
  const { observer, seen } = recorded();
  const options = { name: 'api', queueLimit: 2, queueTimeout: 100 };
  const gate = createGate({ limits, ...options, clock });
  gate.observe(observer);
  const ask = (key: string, weight = 1) => {
    const caller = new Caller();
    askGate(gate, caller, [{ key, weight: 1 }, { weight }]);
    return caller;
  };
  return { clock, gate, ask, seen };
}

const name = 'api';
const request = expect.any(Object) as object;

it('the gate reports a request once, with its highest weight', () => {
  const { clock, ask, seen } = observed();
  const caller = ask('a', 3);
  clock.advance(20);
  caller.permit?.release('ignored');
  expect(seen()).toEqual([
    ['admitted', { name, request, weight: 3, waited: 0 }],
    ['released', { name, request, weight: 3, waited: 0, held: 20, outcome: 'ignored' }],
  ]);
});

it('the gate reports the wait of a request once, even if the request waits at several limits', () => {
  const { clock, ask, seen } = observed();
  const [one, two] = [ask('b', 3), ask('a')];
  seen();
  const waiting = ask('a', 2);
  clock.advance(10);
  two.permit?.release();
  clock.advance(10);
  one.permit?.release();
  expect(seen()).toEqual([
    ['queued', { name, request, weight: 1, queued: 1 }],
    ['released', { name, request, weight: 1, waited: 0, held: 10, outcome: 'ok' }],
    ['released', { name, request, weight: 3, waited: 0, held: 20, outcome: 'ok' }],
    ['admitted', { name, request, weight: 2, waited: 20 }],
  ]);
  expect(waiting.permit?.waited).toBe(20);
});

it('the gate reports rejections, with the limit that rejected, and withdrawals', () => {
  const { clock, gate, ask, seen } = observed();
  ask('a', 4);
  const [one, two] = [ask('a'), ask('b')];
  ask('c');
  seen();
  clock.advance(30);
  gate.withdraw(one);
  clock.advance(70);
  expect(two.answers).toBe(1);
  const rejection = { reason: 'timeout', limitName: 'app', queued: 0, waited: 100, retryAfter: 1 };
  expect(seen()).toEqual([
    ['withdrawn', { name, request, waited: 30 }],
    ['rejected', { name, request, rejection, shadow: false }],
  ]);
});

it("a resized limit is reported under the limit's own name", () => {
  const { gate, seen } = observed();
  Object.values(gate.limiters)[1]?.setLimit(7);
  expect(seen()).toEqual([['resized', { name: 'app', limit: 7 }]]);
});

it('the observer of a reused limiter gets the events of that limit', () => {
  const clock = new VirtualClock();
  const { observer, seen } = recorded();
  const limiter = createLimiter({ limit: 1, name: 'shared', queueLimit: 9, clock });
  limiter.observe(observer);
  const gate = createGate({ limits: [{ limiter }], clock });
  const [one, two] = [new Caller(), new Caller()];
  askGate(gate, one, [{ weight: 1 }]);
  askGate(gate, two, [{ weight: 1 }]);
  one.permit?.release();
  two.permit?.release();
  expect(seen().map(([kind]) => kind)).toEqual([
    'admitted',
    'queued',
    'released',
    'admitted',
    'released',
  ]);
});

it('the stats of a gate count requests, and those of its limits count weight', () => {
  const { clock, gate, ask } = observed();
  ask('a', 3);
  ask('b', 2);
  clock.advance(15);
  expect(gate.stats()).toEqual({
    ...{
      name,
      holders: 1,
      abandoned: 0,
      queued: 1,
      longestWait: 15,
      admitted: 1,
      withdrawn: 0,
      leaked: 0,
    },
    rejected: { full: 0, timeout: 0, closed: 0, overloaded: 0, paused: 0, store: 0 },
    wouldReject: { full: 0, timeout: 0, closed: 0, overloaded: 0, paused: 0, store: 0 },
    limits: [
      expect.objectContaining({ name: 'user', inflight: 2, queued: 0, keys: 2 }),
      expect.objectContaining({ name: 'app', inflight: 3, queued: 1, longestWait: 15 }),
    ],
  });
});
