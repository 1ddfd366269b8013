import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { OpenResponses } from '../src/http/open-responses.ts';
import { adaptive, createLimiter } from '../src/index.ts';
import type { BasePermit } from '../src/semaphore/permit.ts';
import { type Caller, call } from './caller.ts';

const held = ({ permit }: Caller) => permit as BasePermit;

it('a permit that has stopped counting makes room, and is held until its release', async () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 9 });
  const [stream, next] = [call(limiter), call(limiter)];
  held(stream).stopCounting();
  expect(next.permit).toBeDefined();
  expect([limiter.inflight, limiter.holders]).toEqual([1, 2]);
  held(stream).adjust(3);
  held(stream).stopCounting();
  expect(limiter.inflight).toBe(1);
  next.permit?.release();
  const closed = limiter.close();
  held(stream).release();
  expect(await closed).toBe(0);
  held(stream).stopCounting();
  expect([limiter.inflight, limiter.holders]).toEqual([0, 0]);
});

it('a permit that has stopped counting gives an adaptive limit no sample', () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: adaptive({ min: 8, initial: 8 }), clock });
  for (let count = 0; count < 100; count++) {
    const stream = call(limiter);
    held(stream).stopCounting();
    clock.advance(1000);
    stream.permit?.release();
  }
  expect(limiter.stats()).toMatchObject({ admitted: 100, limit: 8, baseline: undefined });
});

/** Requests whose responses begin when the test says so. */
function scene() {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 2, queueLimit: 9, clock });
  const open = new OpenResponses(limiter, clock);
  const admit = () => {
    const caller = call(limiter);
    const exchange = { hasBegun: false };
    const request = { exchange, permit: held(caller) };
    open.add(request);
    return { exchange, request, caller };
  };
  return { clock, limiter, open, admit };
}

it('responses that have begun stop counting within 100 ms, or 10 ms while requests are queued', () => {
  const { clock, limiter, open, admit } = scene();
  const [one, other] = [admit(), admit()];
  one.exchange.hasBegun = true;
  clock.advance(99);
  expect(limiter.inflight).toBe(2);
  clock.advance(1);
  expect(limiter.inflight).toBe(1);
  admit();
  const waiting = call(limiter);
  open.queued();
  clock.advance(10);
  expect(waiting.permit).toBeUndefined();
  other.exchange.hasBegun = true;
  clock.advance(10);
  expect(waiting.permit).toBeDefined();
});

it('no timer runs once all responses have ended or begun', () => {
  const { clock, limiter, open, admit } = scene();
  const [one, other] = [admit(), admit()];
  one.exchange.hasBegun = true;
  open.delete(other.request);
  other.caller.permit?.release();
  clock.advance(100);
  expect([limiter.inflight, clock.armed]).toEqual([0, 0]);
});

it('checks end although a response does not begin, and start again with the next request', () => {
  const { clock, limiter, admit } = scene();
  const { exchange } = admit();
  // Libraries of fake timers take a thousand timers for an infinite loop.
  let checks = 0;
  for (; clock.armed > 0 && checks < 1000; checks++) clock.advance(clock.due - clock.now());
  expect(checks).toBeLessThan(500);
  exchange.hasBegun = true;
  admit();
  clock.advance(100);
  expect(limiter.inflight).toBe(1);
});
