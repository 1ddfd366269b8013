import { Caller } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { adaptive, createGate } from '../src/index.ts';
import { askGate } from './ask-gate.ts';
import { impatientScene, reason, scene, times, UNTIL_LEARNED } from './impatient-scene.ts';
import { withLongQueue } from './long-queue.ts';

it('each key has its own learned timeout', () => {
  const { clock, ask, finish, old } = impatientScene({ perKey: true }, { key: 'a' });
  const [holder, first, second] = times(3, () => ask({ key: 'b' }));
  clock.advance(450);
  holder?.permit?.release();
  finish(true);
  expect([first, second, old].map((caller) => reason(caller as Caller))).toEqual([
    ...['granted', 'waits', 'timeout'],
  ]);
});

it('each limit of a gate has its own learned timeout', () => {
  const clock = new VirtualClock();
  const limits = [
    { name: 'narrow', limit: 1 },
    { name: 'app', limit: 1 },
  ];
  const gate = createGate({ limits, queueTimeout: 1000, clock });
  const gone = new Set<Caller>();
  const ask = (isNarrow: boolean) => {
    const caller: Caller = new Caller({ gone: () => gone.has(caller) });
    const one = { weight: 1 };
    askGate(gate, caller, (isNarrow ? [one, undefined] : [undefined, one]) as never);
    return caller;
  };
  const both = [true, false].map((isNarrow) => times(UNTIL_LEARNED + 3, () => ask(isNarrow)));
  clock.advance(400);
  const [narrow, app] = both.map((callers, index) => {
    for (const caller of callers.slice(0, UNTIL_LEARNED + 1)) {
      if (index === 0 && caller !== callers[0]) gone.add(caller);
      caller.permit?.release();
    }
    return callers.slice(-2).map(reason);
  });
  expect([narrow, app]).toEqual([
    ['timeout', 'granted'],
    ['granted', 'waits'],
  ]);
});

it.each([{ limit: adaptive({ min: 1, max: 1 }) }, { limit: 1 }])(
  'a limit learns how long clients wait: %o',
  (options) => {
    const { old, fresh, finish } = impatientScene(options);
    finish(true);
    expect([old, fresh].map(reason)).toEqual(['timeout', 'granted']);
  },
);

it('no timeout is learned if a controller bounds the wait, as that of the default limit does', () => {
  const { old, fresh, finish } = impatientScene({ limit: withLongQueue(1) });
  finish(true);
  expect([old, fresh].map(reason)).toEqual(['granted', 'waits']);
});

it('a learned timeout does not apply to waiters without a timeout, which teach nothing either', () => {
  const { old, fresh, finish } = impatientScene({ queueTimeout: Infinity });
  finish(true);
  expect([old, fresh].map(reason)).toEqual(['granted', 'waits']);
});

it('a learned timeout does not apply to a request with a queueTimeout of Infinity among others', () => {
  const { clock, limiter, ask, finish } = scene();
  times(UNTIL_LEARNED, () => ask());
  const job = ask({ queueTimeout: Infinity });
  clock.advance(400);
  const fresh = ask();
  for (let count = 0; count <= UNTIL_LEARNED; count++) finish(count > 0);
  expect([job, fresh].map(reason)).toEqual(['granted', 'waits']);
  expect(limiter.stats().rejected.timeout).toBe(0);
});

it('a timeout is learned from requests with their own queueTimeout, whatever that of the limiter is', () => {
  const { old, fresh, finish } = impatientScene({ queueTimeout: Infinity }, { queueTimeout: 1000 });
  finish(true);
  expect([old, fresh].map(reason)).toEqual(['timeout', 'granted']);
});

it('a queueTimeout of 1 ms stays as it is', () => {
  const { clock, ask, finish } = scene({ queueTimeout: 1 });
  const callers = times(3, () => ask());
  finish(false);
  finish(true);
  expect(callers.map(reason)).toEqual(['granted', 'granted', 'waits']);
  clock.advance(1);
  expect(callers.map(reason)).toEqual(['granted', 'granted', 'timeout']);
});

it('with a queueTimeout of 0, no waiter is granted', () => {
  const { ask, finish } = scene({ queueTimeout: 0 });
  const callers = times(3, () => ask());
  finish(true);
  expect(callers.map(reason)).toEqual(['timeout', 'timeout', 'timeout']);
});
