import { type Caller, call } from '@headgate/test-kit/caller';
import { describe, expect, it } from 'vitest';
import { createLimiter, defaultLimit, fifo, type LocalLimiter } from '../../src/index.ts';
import type { BasePermit } from '../../src/semaphore/permit.ts';
import { ScriptedLimit } from '../scripted-limit.ts';
import { FakeLoop } from './fake-loop.ts';
import { isGranted, scene } from './scene.ts';

/** A limit of 4, of which all is held, and requests that wait for it. */
function full(waiting = 30) {
  const world = scene(fifo(), { limit: 4 });
  const { loop, limiter } = world;
  const callers: Caller[] = [];
  const pass = (milliseconds: number, act = () => loop.rest(1)) => {
    for (const end = loop.now() + milliseconds; loop.now() < end; ) {
      act();
      loop.poll();
    }
  };
  const ask = () => callers.push(call(limiter));
  while (callers.filter(isGranted).length < 4) {
    ask();
    pass(5);
  }
  for (let count = 0; count < waiting; count++) ask();
  return { ...world, callers, pass, started: () => callers.filter(isGranted).length };
}

describe('the queue waits only while work makes progress', () => {
  it('the oldest requests stop counting after 25 ms without a finish: 1, then 2, then 4', () => {
    const { limiter, pass, started } = full();
    const seen = [24, 25, 25, 25].map((milliseconds) => {
      pass(milliseconds);
      return started();
    });
    expect(seen).toEqual([4, 5, 7, 11]);
    expect(limiter.inflight).toBe(4);
    expect(limiter.holders).toBe(11);
  });

  it('the next step is 1 again once work that is older than the last one finishes', () => {
    const { callers, pass, started } = full();
    pass(100);
    expect(started()).toBe(11);
    // It no longer counts, so no other request replaces it.
    callers[0]?.permit?.release();
    expect(started()).toBe(11);
    // The usual gap is known now, and twelve of them have to pass: more than 100 ms.
    pass(100);
    expect(started()).toBe(11);
    pass(100);
    expect(started()).toBe(12);
  });

  it('all requests wait while the loop is busy, since handlers compute in short steps', () => {
    const { loop, pass, started } = full();
    pass(240, () => loop.busy(1));
    expect(started()).toBe(4);
  });

  it('all requests wait while others finish', () => {
    const { callers, pass, started } = full();
    for (let finished = 1; finished <= 10; finished++) {
      pass(20);
      callers[finished - 1]?.permit?.release();
      expect(started()).toBe(4 + finished);
    }
  });

  it('waits for longer if requests usually take longer', () => {
    const { callers, pass, started } = full();
    pass(20);
    // Four requests at a time, of about 40 ms each: a finish each 10 ms, of which twelve are 120 ms.
    callers[0]?.permit?.release();
    pass(60);
    expect(started()).toBe(5);
    pass(100);
    expect(started()).toBe(6);
  });

  it.each<[string, (limiter: LocalLimiter) => void]>([
    ['the limiter is paused', (limiter) => limiter.pause()],
    ['the limiter rejects all requests', (limiter) => limiter.rejectAll()],
    ['setLimit() holds the limit', (limiter) => limiter.setLimit(4)],
  ])('no request stops counting while %s', (_, operate) => {
    const { limiter, pass } = full(1);
    operate(limiter);
    pass(200);
    expect(limiter.inflight).toBe(4);
    expect(limiter.holders).toBe(4);
  });
});

describe('a request that has stopped counting', () => {
  it('is still a sample of its full duration, once', () => {
    const loop = new FakeLoop();
    const samples: number[] = [];
    const limit = new ScriptedLimit(1);
    const { control } = defaultLimit({}, loop);
    const create = () => ({
      limit: limit.limit,
      sample: ({ rtt }: { rtt: number }) => samples.push(rtt),
    });
    const limiter = createLimiter({ limit: { create, control } as never, clock: loop });
    const [first, second] = [call(limiter), call(limiter)];
    for (let waited = 0; waited < 100; waited++) {
      loop.turn(1);
    }
    expect(isGranted(second)).toBe(true);
    (first.permit as BasePermit).stopCounting();
    first.permit?.release();
    expect(samples).toEqual([100]);
    second.permit?.release();
    expect(samples).toHaveLength(2);
    expect(limiter.inflight).toBe(0);
    expect(limiter.holders).toBe(0);
  });

  it('leaves nothing behind, whatever its weight becomes', () => {
    const { limiter, callers, pass } = full();
    pass(80);
    for (const { permit } of callers) {
      permit?.adjust(3);
      (permit as BasePermit | undefined)?.pauseCounting();
      (permit as BasePermit | undefined)?.countAgain();
    }
    while (limiter.holders > 0) for (const { permit } of callers) permit?.release();
    expect(limiter.inflight).toBe(0);
    expect(limiter.queued).toBe(0);
  });
});
