import { describe, expect, it } from 'vitest';
import { fifo } from '../../src/index.ts';
import { WorkCost } from '../../src/pacing/work-cost.ts';
import type { BasePermit } from '../../src/semaphore/permit.ts';
import { call } from '../caller.ts';
import { FakeLoop } from './fake-loop.ts';
import { scene } from './paced-scene.ts';

type Queue = ReturnType<typeof queueing>;

/** A limiter with a limit of 1 that has handled requests, of 20 ms by default. Now one is in flight, and others are queued. */
function queueing(duration = 20) {
  const { loop, limiter, measure } = scene(fifo(), { limit: 1 });
  measure(0, 100, duration);
  const inflight = call(limiter);
  const queued = Array.from({ length: 5 }, () => call(limiter));
  return { loop, limiter, measure, inflight, queued };
}

/** The loop is idle, and polls every few milliseconds. */
function rest({ loop }: Queue, milliseconds: number): void {
  for (let passed = 0; passed < milliseconds; passed += 5) {
    loop.rest(5);
    loop.poll();
  }
}

/** The loop is busy. */
function work({ loop }: Queue, milliseconds: number): void {
  for (let passed = 0; passed < milliseconds; passed += 5) {
    loop.advance(5);
    loop.poll();
  }
}

/** Queues a request, as the only one: those before it leave. */
function arrive({ limiter, queued }: Queue) {
  const caller = call(limiter);
  for (const earlier of queued) limiter.withdraw(earlier);
  return caller;
}

/** How long a request that arrives now is queued before it is rejected. */
function maxWait(queue: Queue, pass: typeof rest): number {
  const caller = arrive(queue);
  for (let waited = 0; ; waited += 5) {
    if (caller.rejection !== undefined) return waited;
    pass(queue, 5);
  }
}

/** Requests in flight leave at this interval, in milliseconds, and the queued ones take their place. */
function serve(
  queue: Queue,
  count: number,
  interval: number,
  pass = rest,
  leave = (permit: BasePermit) => permit.release(),
): void {
  const { inflight, queued } = queue;
  for (const { permit } of [inflight, ...queued].slice(0, count)) {
    leave(permit as BasePermit);
    pass(queue, interval);
  }
}

const nearlyASecond = expect.toSatisfy((waited: number) => waited > 940 && waited <= 1000);

describe('if no request finishes although the loop is idle, the maximum wait', () => {
  it('is what is left of a second', () => {
    const queue = queueing();
    rest(queue, 150);
    expect(maxWait(queue, rest)).toEqual(nearlyASecond);
  });

  it('is the same after the standstill, for as long again', () => {
    const queue = queueing();
    rest(queue, 400);
    serve(queue, 1, 390, work);
    expect(maxWait(queue, work)).toEqual(nearlyASecond);
  });

  it('is 250 ms again after that', () => {
    const queue = queueing();
    rest(queue, 400);
    serve(queue, 1, 405, work);
    expect(maxWait(queue, work)).toBe(255);
  });

  it('is 250 ms again a second after a long standstill', () => {
    const queue = queueing();
    for (let arrived = 0; arrived < 4; arrived++) {
      rest(queue, 450);
      call(queue.limiter);
    }
    serve(queue, 1, 1005, work);
    expect(maxWait(queue, work)).toBe(255);
  });

  it('stays the same in another standstill before that', () => {
    const queue = queueing();
    rest(queue, 300);
    serve(queue, 1, 100, work);
    const late = call(queue.limiter);
    serve(queue, 3, 50, work);
    rest(queue, 250);
    serve(queue, 4, 20, work);
    work(queue, 300);
    expect(late.rejection).toBeUndefined();
  });

  it('stays the same when clients abort uploads', () => {
    const queue = queueing();
    const uploads = [queue.inflight, ...queue.queued.slice(0, 3)];
    for (const { permit } of uploads) {
      (permit as BasePermit).pauseCounting();
      rest(queue, 5);
    }
    rest(queue, 80);
    const late = arrive(queue);
    for (const { permit } of uploads) {
      rest(queue, 100);
      permit?.release();
    }
    expect(late.rejection).toBeUndefined();
  });
});

describe('the maximum wait is 250 ms', () => {
  it('if none finishes because the loop is busy', () => {
    const queue = queueing();
    work(queue, 150);
    expect(maxWait(queue, work)).toBe(255);
  });

  it('if a standstill follows a queue of more than 250 ms', () => {
    const queue = queueing();
    serve(queue, 4, 90);
    expect(maxWait(queue, rest)).toBe(255);
  });

  it.each([
    [20, 150, 'finishes', (permit: BasePermit) => permit.release()],
    [20, 150, 'only waits for its client', (permit: BasePermit) => permit.pauseCounting()],
    [150, 290, 'finishes', (permit: BasePermit) => permit.release()],
  ])('for requests of %i ms, if every %i ms one %s', (duration, interval, _name, leave) => {
    const queue = queueing(duration);
    rest(queue, 105);
    const late = call(queue.limiter);
    serve(queue, 2, interval, rest, leave);
    for (const caller of queue.queued) queue.limiter.withdraw(caller);
    expect(late.rejection?.reason).toBe('overloaded');
  });

  it('after an idle time that was no standstill', () => {
    const queue = queueing();
    serve(queue, 6, 20);
    rest(queue, 900);
    queue.measure(0, 1, 20);
    queue.queued.push(call(queue.limiter), call(queue.limiter));
    work(queue, 150);
    expect(maxWait(queue, work)).toBe(255);
  });
});

it('a standstill of which a part has been counted already leaves out the rest only', () => {
  const loop = new FakeLoop();
  const cost = new WorkCost(loop);
  const handle = (count: number, milliseconds: number) => {
    for (let index = 0; index < count; index++) {
      cost.started(loop.now());
      loop.rest(milliseconds);
      cost.finished(loop.now());
    }
  };
  handle(600, 10);
  cost.rate.queueingStarted(loop.now());
  handle(20, 60);
  cost.rate.skip(loop.now(), 5000);
  handle(20, 60);
  expect(cost.rate.interval).toBeCloseTo(60);
});
