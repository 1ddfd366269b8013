import { call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { createGate, createLimiter, defaultLimit } from '../src/index.ts';

function scene({ limit = 2 } = {}) {
  const clock = new VirtualClock();
  return { clock, limiter: createLimiter({ limit, queueLimit: 2, queueTimeout: 100, clock }) };
}

describe('a paused limiter', () => {
  it('queues new requests up to its queue limit even if there is room', () => {
    const { limiter } = scene();
    limiter.pause();
    expect(limiter.state).toBe('paused');
    const [first, second, third] = [call(limiter), call(limiter), call(limiter)];
    expect([first.answers, second.answers, limiter.queued]).toEqual([0, 0, 2]);
    expect(third.rejection).toMatchObject({ reason: 'full' });
    expect(limiter.tryAcquire()).toBeUndefined();
    limiter.resume();
    expect([first.answers, second.answers, limiter.inflight]).toEqual([1, 1, 2]);
    expect(limiter.state).toBe('open');
  });

  it('rejects its waiters after their timeout', () => {
    const { clock, limiter } = scene();
    limiter.pause();
    const waiting = call(limiter);
    clock.advance(100);
    expect(waiting.rejection).toMatchObject({ reason: 'timeout', waited: 100 });
    expect(clock.armed).toBe(0);
  });

  it('grants no released permits, and later admits in order of arrival', () => {
    const { limiter } = scene({ limit: 1 });
    const running = call(limiter);
    const waiting = [call(limiter), call(limiter)];
    limiter.pause();
    running.permit?.release();
    limiter.setLimit(3);
    expect(waiting.map(({ answers }) => answers)).toEqual([0, 0]);
    limiter.setLimit(1);
    limiter.resume();
    expect(waiting.map(({ answers }) => answers)).toEqual([1, 0]);
  });

  it('can be paused by a waiter that is being granted', () => {
    const { limiter } = scene({ limit: 2 });
    limiter.pause();
    const first = call(limiter, { onGranted: () => limiter.pause() });
    const second = call(limiter);
    limiter.resume();
    expect([first.answers, second.answers, limiter.state]).toEqual([1, 0, 'paused']);
  });

  it('sheds nothing with defaultLimit() until it is resumed', () => {
    const clock = new VirtualClock();
    const limiter = createLimiter({ limit: defaultLimit(), queueTimeout: 60_000, clock });
    limiter.pause();
    const waiting = [call(limiter), call(limiter)];
    clock.advance(10_000);
    expect(waiting.map(({ answers }) => answers)).toEqual([0, 0]);
    limiter.resume();
    expect(waiting.some(({ permit }) => permit !== undefined)).toBe(true);
  });

  it('queues the requests of its gate, which times them out', () => {
    const clock = new VirtualClock();
    const app = createLimiter({ name: 'app', limit: 2, clock });
    const gate = createGate({
      limits: [{ name: 'user', limit: 1, perKey: true }, { limiter: app }],
      queueLimit: 5,
      queueTimeout: 50,
      clock,
    });
    app.pause();
    const answer = gate.acquire({ keys: { user: 'ann' } });
    expect(gate.queued).toBe(1);
    clock.advance(50);
    return expect(answer).rejects.toMatchObject({
      rejection: { reason: 'timeout', limitName: 'app' },
    });
  });
});
