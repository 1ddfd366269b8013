import { VirtualClock } from '@headgate/test-suite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AbandonedRequest, AbandonedRequests } from '../src/http/abandoned-requests.ts';
import { createLimiter, type Limiter } from '../src/index.ts';

interface Options {
  limiter?: Limiter;
  key?: string;
  weight?: number;
  work?: string;
  number?: number;
  seemsToStop?: boolean;
}

/** The abandoned requests of a middleware with a limit of 4, and the requests that have released their permits. */
function middleware(clock = new VirtualClock(), limiter: Limiter = createLimiter({ limit: 4 })) {
  const abandoned = new AbandonedRequests(clock);
  const released: AbandonedRequest[] = [];
  let number = 0;
  const leave = (options: Options = {}) => {
    const { weight = 1, key, work = 'route', seemsToStop = false } = options;
    const demands = [{ limiter: options.limiter ?? limiter, key, weight }];
    const at = options.number ?? ++number;
    const release = () => void released.push(request);
    const request = new AbandonedRequest(demands, work, at, seemsToStop, release);
    abandoned.add(request);
    return request;
  };
  return { clock, limiter, abandoned, released, leave };
}

it('an answered request releases the permits of abandoned requests of the same work that were admitted before it', () => {
  const { abandoned, released, leave } = middleware();
  const first = leave({ number: 1 });
  leave({ number: 3 });
  leave({ number: 1, work: 'another' });
  abandoned.answered('route', 2);
  expect(released).toEqual([first]);
});

it('the permit of an abandoned request is released after 30 seconds', () => {
  const { clock, abandoned, released, leave } = middleware();
  const requests = Array.from({ length: 4 }, () => leave());
  clock.advance(30_000);
  expect(released).toEqual(requests);
  expect([abandoned.size, clock.armed]).toEqual([0, 0]);
});

it('the first permit is returned soon, and within 30 seconds as many as are held', () => {
  const { clock, released, leave } = middleware();
  // Each probe is answered by another request that hangs, as it does while the limit is full.
  for (let index = 0; index < 4; index++) leave();
  const times: number[] = [];
  for (let time = 250; time < 30_000; time += 250) {
    clock.advance(250);
    if (released.length === times.length) continue;
    times.push(time);
    leave();
  }
  expect(times).toEqual([250, 2000, 7750, 17_000]);
});

it('probes are counted for each key', () => {
  const limiter = createLimiter({ limit: 2, perKey: true });
  const { clock, released, leave } = middleware(undefined, limiter);
  for (const key of ['a', 'a', 'b', 'b']) leave({ key });
  clock.advance(250);
  expect(released.map(({ demands }) => demands[0]?.key)).toEqual(['a', 'b']);
});

it('probes are counted over all middleware of a limiter', () => {
  const one = middleware();
  const another = middleware(one.clock, one.limiter);
  for (const { leave } of [one, another]) leave();
  one.clock.advance(250);
  expect(one.released.length + another.released.length).toBe(1);
});

it('a permit of a heavy request is returned only once as much weight may be returned', () => {
  const { clock, released, leave } = middleware();
  leave({ weight: 4 });
  clock.advance(16_500);
  expect(released).toHaveLength(0);
  clock.advance(1000);
  expect(released).toHaveLength(1);
});

it('a request without limits is no probe', () => {
  const { clock, abandoned, released } = middleware();
  const release = () => void released.push(request);
  const request = new AbandonedRequest([], 'route', 1, false, release);
  abandoned.add(request);
  clock.advance(29_000);
  expect(released).toHaveLength(0);
  clock.advance(1000);
  expect(released).toEqual([request]);
});

it('a handler that seems to stop with its client releases its permit at once', () => {
  const { abandoned, released, leave } = middleware();
  expect(released).toEqual([leave({ seemsToStop: true })]);
  expect(abandoned.size).toBe(0);
});

it('after a handler that seemed to stop has responded, abandoned requests of its work hold their permits', () => {
  const { abandoned, released, leave } = middleware();
  const late = leave({ seemsToStop: true });
  abandoned.finishedLate(late);
  leave({ seemsToStop: true });
  expect(released).toEqual([late]);
  expect(released).not.toContain(leave({ seemsToStop: true }));
  const another = leave({ seemsToStop: true, work: 'another' });
  expect(released).toEqual([late, another]);
});

it('a handler that reads whether its client is connected releases its permit, unless its work is distrusted', () => {
  const { abandoned, released, leave } = middleware();
  const first = leave();
  abandoned.showsStop(first);
  expect(released).toEqual([first]);
  abandoned.finishedLate(first);
  const second = leave();
  abandoned.showsStop(second);
  expect(released).toEqual([first]);
});

it('a distrusted work is trusted again after three handlers in a row have stopped', () => {
  const { abandoned, released, leave } = middleware();
  abandoned.finishedLate(leave({ seemsToStop: true }));
  for (let index = 0; index < 3; index++) {
    const stopped = leave({ seemsToStop: true });
    expect(released).not.toContain(stopped);
    abandoned.answered('route', stopped.number + 1);
  }
  expect(released).toContain(leave({ seemsToStop: true }));
});

it('handlers that finish late one after the other do not restore the trust in their work', () => {
  const { abandoned, released, leave } = middleware();
  const late = Array.from({ length: 6 }, () => leave({ seemsToStop: true }));
  for (const request of late.reverse()) abandoned.finishedLate(request);
  expect(released).not.toContain(leave({ seemsToStop: true }));
});

it('a handler that never seemed to stop does not make its work distrusted by responding', () => {
  const { abandoned, released, leave } = middleware();
  abandoned.finishedLate(leave());
  expect(released).toContain(leave({ seemsToStop: true }));
});

it('at most 64 kinds of work are distrusted', () => {
  const { abandoned, released, leave } = middleware();
  for (let index = 0; index < 65; index++) {
    abandoned.finishedLate(leave({ seemsToStop: true, work: `work ${index}` }));
  }
  expect(released).not.toContain(leave({ seemsToStop: true, work: 'work 63' }));
  expect(released).toContain(leave({ seemsToStop: true, work: 'work 64' }));
});

it('at most twice the limit of handlers run while everything hangs for 30 seconds', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1 });
  const stay = fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), weights, stay, (limit, demanded, patience) => {
      const clock = new VirtualClock();
      const limiter = createLimiter({ limit, clock });
      const abandoned = new AbandonedRequests(clock);
      let running = 0;
      for (let index = 0; clock.now() < 29_900; index++, clock.advance(50)) {
        const weight = Math.min(demanded[index % demanded.length] as number, limit);
        const permit = limiter.tryAcquire({ weight });
        if (permit === undefined) continue;
        running += weight;
        const release = () => permit.release();
        const demands = [{ limiter, weight }];
        const left = () => abandoned.add(new AbandonedRequest(demands, '', index, false, release));
        clock.setTimeout(left, patience[index % patience.length] as number);
        expect(running).toBeLessThanOrEqual(2 * limit);
      }
    }),
  );
});
