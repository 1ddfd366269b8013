import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { createLimiter } from '../src/index.ts';

/** A limiter in front of a service whose answers the test decides. */
function scene(perKey = false, limit = 10) {
  const clock = new VirtualClock({ random: () => 0 });
  const limiter = createLimiter({ limit, perKey, queueTimeout: 60_000, clock });
  /** Sends a request, and returns whether there was a permit. */
  const send = (isRefused: boolean, key?: string) => {
    const permit = limiter.tryAcquire({ key });
    if (isRefused && permit !== undefined) limiter.refused('5', key);
    permit?.release();
    return permit !== undefined;
  };
  const sendAll = (answers: string) => [...answers].map((answer) => send(answer === 'x'));
  return { clock, limiter, send, sendAll };
}

describe('refused()', () => {
  it('pauses once ten of the last twenty answers were refusals', () => {
    const { limiter, sendAll } = scene();
    sendAll('.x.x.x.x.x.x.x.x.x');
    expect(limiter.stats().pausedFor).toBeUndefined();
    sendAll('.x');
    expect(limiter.stats().pausedFor).toBe(5_000);
  });

  it('does not pause while the service refuses less than half of the requests', () => {
    const { limiter, sendAll } = scene();
    sendAll('..x.x'.repeat(100));
    expect(limiter.stats()).toMatchObject({ admitted: 500, pausedFor: undefined });
  });

  it('pauses at the tenth refusal of a service that refuses everything', () => {
    const { limiter, sendAll } = scene();
    expect(sendAll('x'.repeat(12))).toEqual([...Array(10).fill(true), false, false]);
    expect(limiter.stats().pausedFor).toBe(5_000);
  });

  it('pauses again at the first refusal after a pause, until the service has served ten', () => {
    const { clock, limiter, sendAll } = scene();
    sendAll('x'.repeat(10));
    clock.advance(5_000);
    sendAll('x');
    expect(limiter.stats().pausedFor).toBe(5_000);
    clock.advance(5_000);
    sendAll(`${'.'.repeat(11)}x`);
    expect(limiter.stats().pausedFor).toBeUndefined();
  });

  it('does not mistake the refusals of a burst, which arrive first, for those of all requests', () => {
    const { limiter, sendAll } = scene(false, 100);
    const permits = Array.from({ length: 60 }, () => limiter.tryAcquire());
    // A quarter is refused, at once; the others are served later.
    sendAll('x'.repeat(15));
    expect(limiter.stats().pausedFor).toBeUndefined();
    for (const permit of permits) permit?.release();
    sendAll('x.'.repeat(5));
    expect(limiter.stats().pausedFor).toBeUndefined();
    const more = Array.from({ length: 60 }, () => limiter.tryAcquire());
    sendAll('x'.repeat(60));
    expect([limiter.stats().pausedFor, more.length]).toEqual([5_000, 60]);
  });

  it('does not wait for the answers to requests in flight', () => {
    const { limiter } = scene();
    const permits = Array.from({ length: 10 }, () => limiter.tryAcquire());
    for (const _ of permits) limiter.refused();
    // A second, if the service does not say for how long.
    expect(limiter.stats().pausedFor).toBe(1_000);
  });

  it('pauses for a second if the response has no Retry-After', () => {
    const { limiter } = scene();
    for (let count = 0; count < 10; count++) limiter.refused(new Headers().get('retry-after'));
    expect(limiter.stats().pausedFor).toBe(1_000);
    const error = expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option: 'pause' });
    expect(() => limiter.refused({} as never)).toThrow(error);
  });

  it.each([
    '0',
    'soon',
    '-1',
    'in 40',
    '1.2.3',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    '',
    0,
    Number.NaN,
    null,
  ])('pauses for a second if Retry-After is %s', (retryAfter) => {
    const { limiter } = scene();
    for (let count = 0; count < 10; count++) limiter.refused(retryAfter);
    expect(limiter.stats().pausedFor).toBe(1_000);
  });

  it('judges and pauses each key of a keyed limiter by itself', () => {
    const { limiter, send } = scene(true);
    limiter.tryAcquire({ key: 'a' });
    limiter.tryAcquire({ key: 'b' });
    for (let count = 0; count < 9; count++) {
      send(true, 'a');
      send(false, 'b');
      send(true, 'b');
      send(false, 'b');
    }
    expect(limiter.stats().pausedFor).toBeUndefined();
    send(true, 'a');
    expect([send(false, 'a'), send(false, 'b')]).toEqual([false, true]);
    limiter.refused('5', 'unknown');
    expect(limiter.stats().keys).toBe(2);
  });
});
