import { VirtualClock } from '@headgate/test-suite';
import { expect, it, vi } from 'vitest';
import { Exchange } from '../src/http/exchange.ts';
import type { GatedRequest } from '../src/http/gated-request.ts';
import { HttpGate } from '../src/http/http-gate.ts';
import { type Clock, timeLeft } from '../src/index.ts';

class OpenExchange extends Exchange {
  readonly gone = false;
  headersSent = false;
  protected listen(): void {}
}

const framework = { method: () => 'GET', path: () => '/', kind: () => undefined };

/** A middleware with a limit of 1; `arrive` enters a request whose client waits for this many milliseconds. */
function scene(clock: Clock) {
  const options = { limit: 1, clock, queueTimeout: timeLeft({ max: 10_000 }) };
  const http = new HttpGate<object>(options, framework as never);
  const arrive = (wait?: number) => {
    const headers = wait === undefined ? {} : { 'connect-timeout-ms': `${wait}` };
    return http.enter({ headers }, new OpenExchange(), undefined) as GatedRequest;
  };
  return { http, arrive };
}

it('timeLeft that was not called is an error when the middleware is created', () => {
  const create = () =>
    new HttpGate({ limit: 1, queueTimeout: timeLeft as never }, framework as never);
  expect(create).toThrow(
    'queueTimeout must be called, as in timeLeft({ max: 2_000 }), got a function that was not called',
  );
});

it('a running request is gone once its client no longer waits, although it is still connected', () => {
  const clock = new VirtualClock();
  const { http, arrive } = scene(clock);
  const gated = arrive(500);
  clock.advance(499);
  expect(gated.gone()).toBe(false);
  clock.advance(1);
  expect(gated.gone()).toBe(true);
  gated.ended('complete');
  expect(gated.gone()).toBe(true);
  expect(http.gate.holders).toBe(0);
});

it('the time left is in whole milliseconds, and 0 only once the client no longer waits', () => {
  const clock = new VirtualClock();
  const { arrive } = scene(clock);
  const { admission } = arrive(500);
  clock.advance(0.25);
  expect(admission.timeLeft).toBe(500);
  clock.advance(499.5);
  expect(admission.timeLeft).toBe(1);
  clock.advance(0.25);
  expect(admission.timeLeft).toBe(0);
});

it('a request whose response has begun in time is not gone, however long the response takes', () => {
  const clock = new VirtualClock();
  const gated = scene(clock).arrive(500);
  (gated.exchange as OpenExchange).headersSent = true;
  clock.advance(1000);
  expect(gated.gone()).toBe(false);
  gated.ended('complete');
  expect(gated.gone()).toBe(false);
  expect(gated.permit?.signal.aborted).toBe(false);
});

it('a request that a busy event loop has answered too late is gone, although no timer has fired', () => {
  const clock = new VirtualClock();
  const gated = scene(clock).arrive(500);
  clock.busy(600);
  (gated.exchange as OpenExchange).headersSent = true;
  gated.ended('complete');
  expect(gated.gone()).toBe(true);
});

it('a request that was answered in time is not gone later', () => {
  const clock = new VirtualClock();
  const gated = scene(clock).arrive(500);
  gated.permit?.waitUntil(new Promise(() => {}));
  clock.advance(499);
  gated.ended('complete');
  clock.advance(1000);
  expect(gated.gone()).toBe(false);
  expect(gated.permit?.signal.aborted).toBe(false);
});

it('a waiter whose client no longer waits is rejected, never granted, even if its timer is late', async () => {
  const clock = new VirtualClock();
  const { http, arrive } = scene(clock);
  const holder = arrive();
  const waiter = arrive(500);
  clock.busy(500);
  expect(waiter.gone()).toBe(false);
  holder.permit?.release();
  await waiter.answered;
  expect(waiter).toMatchObject({ permit: undefined, rejection: { reason: 'timeout' } });
  expect(waiter.disconnected).toBe(false);
  expect(http.stats()).toMatchObject({ withdrawn: 0, rejected: { timeout: 1 } });
});

it('only a request with a deadline of its client sets a timer, which does not keep the process alive', () => {
  const timers: { unref: () => void }[] = [];
  const setTimer = vi.fn(() => {
    const timer = { unref: vi.fn() };
    timers.push(timer);
    return timer;
  });
  const clearTimer = vi.fn();
  const clock = { now: () => 1000, setTimeout: setTimer, clearTimeout: clearTimer };
  const { arrive } = scene(clock);
  arrive().ended('complete');
  expect(setTimer).not.toHaveBeenCalled();
  const gated = arrive(500);
  expect(setTimer).toHaveBeenCalledExactlyOnceWith(expect.any(Function), 500);
  expect(timers[0]?.unref).toHaveBeenCalledOnce();
  gated.ended('complete');
  expect(clearTimer).toHaveBeenCalledExactlyOnceWith(timers[0]);
});
