import { type Caller, call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { createGate, createLimiter } from '../src/index.ts';

function scene({ limit = 2 } = {}) {
  const clock = new VirtualClock();
  return { limiter: createLimiter({ limit, queueLimit: 2, queueTimeout: 100, clock }) };
}

describe('a rejecting limiter', () => {
  it('rejects queued and new requests as closed, and lets running ones finish', () => {
    const { limiter } = scene({ limit: 1 });
    const running = call(limiter);
    const waiting = call(limiter);
    limiter.rejectAll();
    expect(waiting.rejection).toMatchObject({ reason: 'closed' });
    expect(call(limiter).rejection).toMatchObject({ reason: 'closed' });
    expect(limiter.tryAcquire()).toBeUndefined();
    expect(running.permit?.signal.aborted).toBe(false);
    running.permit?.release();
    expect([limiter.state, limiter.closed, limiter.inflight]).toEqual(['rejecting', false, 0]);
    limiter.resume();
    expect(call(limiter).permit).toBeDefined();
  });

  it('stops rejecting if a rejected caller resumes it', () => {
    const { limiter } = scene({ limit: 1 });
    const running = call(limiter);
    const first = call(limiter, { onRejected: () => limiter.resume() });
    const second = call(limiter);
    limiter.rejectAll();
    expect([first.answers, second.answers, limiter.queued]).toEqual([1, 0, 1]);
    running.permit?.release();
    expect(second.permit).toBeDefined();
  });

  it('rejects expired waiters as closed, even if a rejected caller makes another request', () => {
    const clock = new VirtualClock();
    const settings = { limit: 3, queueLimit: 9, queueWeight: 4, queueTimeout: 100, clock };
    const limiter = createLimiter(settings);
    call(limiter, { weight: 3 });
    let again: Caller | undefined;
    const first = call(limiter, {
      onRejected: () => {
        // The queue has no room for it.
        again = call(limiter, { weight: 3 });
      },
    });
    const second = call(limiter, { weight: 3 });
    clock.busy(200);
    limiter.rejectAll();
    const reasons = [first, second, again].map((caller) => caller?.rejection?.reason);
    expect(reasons).toEqual(['closed', 'closed', 'closed']);
  });

  it('can be paused instead', () => {
    const { limiter } = scene();
    limiter.rejectAll();
    limiter.pause();
    const waiting = call(limiter);
    expect(waiting.answers).toBe(0);
    limiter.resume();
    expect(waiting.permit).toBeDefined();
  });

  it('rejects the requests of a gate', async () => {
    const gate = createGate({
      limits: [
        { name: 'user', limit: 1, perKey: true },
        { name: 'app', limit: 1 },
      ],
    });
    Object.values(gate.limiters)[1]?.rejectAll();
    const answer = gate.acquire({ keys: { user: 'ann' } });
    await expect(answer).rejects.toMatchObject({
      rejection: { reason: 'closed', limitName: 'app' },
    });
    expect(gate.stats()).toMatchObject({ holders: 0, rejected: { closed: 1 } });
    expect(Object.values(gate.limiters).map((limiter) => limiter.inflight)).toEqual([0, 0]);
  });
});
