import { Caller, call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { createGate, createLimiter, type Observer } from '../src/index.ts';
import { askGate } from './ask-gate.ts';

const kinds = ['admitted', 'queued', 'rejected', 'withdrawn', 'released', 'resized'] as const;

interface Event {
  readonly kind: string;
  readonly request: object;
  readonly held?: number | undefined;
}

/** An observer that records all events, or those of some kinds. */
function recording(of: readonly (keyof Observer)[] = kinds) {
  const events: Event[] = [];
  const record = (kind: string) => (event: object) =>
    void events.push({ kind, ...(event as Omit<Event, 'kind'>) });
  const observer: Observer = Object.fromEntries(of.map((kind) => [kind, record(kind)]));
  return { observer, seen: () => events.splice(0), kinds: () => seenKinds(events) };
}

function seenKinds(events: Event[]): string[] {
  return events.splice(0).map(({ kind }) => kind);
}

describe('observe()', () => {
  it('adds any number of observers at any time, and returns a function that removes the observer', () => {
    const [one, two, three] = [recording(), recording(), recording(['admitted'])];
    const limiter = createLimiter({ limit: 1 });
    limiter.observe(one.observer);
    const removeTwo = limiter.observe(two.observer);
    limiter.tryAcquire()?.release();
    const removeThree = limiter.observe(three.observer);
    limiter.tryAcquire()?.release();
    removeTwo();
    removeTwo();
    limiter.tryAcquire()?.release();
    removeThree();
    limiter.tryAcquire()?.release();
    const request = ['admitted', 'released'];
    expect(one.kinds()).toEqual([...request, ...request, ...request, ...request]);
    expect(two.kinds()).toEqual([...request, ...request]);
    expect(three.kinds()).toEqual(['admitted', 'admitted']);
  });

  it('counts the same observer as often as it is added', () => {
    const { observer, kinds } = recording();
    const limiter = createLimiter({ limit: 1 });
    const remove = limiter.observe(observer);
    limiter.observe(observer);
    limiter.tryAcquire();
    expect(kinds()).toEqual(['admitted', 'admitted']);
    remove();
    limiter.setLimit(2);
    expect(kinds()).toEqual(['resized']);
  });

  it('also reports requests that arrived before, but no hold times that were not recorded', () => {
    const clock = new VirtualClock();
    const limiter = createLimiter({ limit: 1, queueLimit: 1, clock });
    const held = limiter.tryAcquire();
    const waiting = call(limiter);
    const { observer, seen } = recording();
    limiter.observe(observer);
    clock.advance(20);
    held?.release();
    clock.advance(5);
    waiting.permit?.release();
    expect(seen()).toMatchObject([
      { kind: 'released', held: undefined },
      { kind: 'admitted', waited: 20 },
      { kind: 'released', held: 5 },
    ]);
  });

  it('reports hold times of earlier permits if maxHold, another observer or the limit recorded them', () => {
    const clock = new VirtualClock();
    const limit = { create: () => ({ limit: 1, sample: () => {} }) };
    const timed = { released: () => {} };
    for (const options of [{ limit }, { limit: 1, maxHold: 99 }, { limit: 1 }]) {
      const limiter = createLimiter({ clock, ...options });
      if (options.limit === 1 && !('maxHold' in options)) limiter.observe(timed);
      const permit = limiter.tryAcquire();
      const { observer, seen } = recording();
      limiter.observe(observer);
      clock.advance(7);
      permit?.release();
      expect(seen()).toMatchObject([{ kind: 'released', held: 7 }]);
    }
  });

  it('reads no clock and creates no events after the last observer is removed', () => {
    let readings = 0;
    class Counting extends VirtualClock {
      override now(): number {
        readings++;
        return super.now();
      }
    }
    const limiter = createLimiter({ limit: 1, clock: new Counting() });
    const remove = limiter.observe(recording().observer);
    limiter.tryAcquire()?.release();
    expect(readings).toBe(2);
    remove();
    const permit = limiter.tryAcquire();
    permit?.release();
    expect(readings).toBe(2);
    expect(permit).not.toHaveProperty('identity');
  });

  it('does not affect close() and aborted permits when observers are added and removed', async () => {
    const limiter = createLimiter({ limit: 2 });
    const [one, two] = [limiter.tryAcquire(), limiter.tryAcquire()];
    const { signal } = one as { signal: AbortSignal };
    const remove = limiter.observe(recording().observer);
    const closing = limiter.close();
    remove();
    one?.release();
    two?.release();
    expect(await closing).toBe(0);
    expect(signal.aborted).toBe(false);
  });

  it('validates the observer', () => {
    const limiter = createLimiter({ limit: 1 });
    const observe = (observer: unknown) => () => limiter.observe(observer as Observer);
    for (const value of [undefined, null, 5, 'x', () => {}]) {
      expect(observe(value)).toThrow('observer must be an object with the methods');
    }
    const invalid = { code: 'ERR_HEADGATE_OPTION', option: 'observer' };
    expect(observe({ admitted: 5 })).toThrow(expect.objectContaining(invalid));
    expect(observe({ admitted: 5 })).toThrow('observer.admitted must be a function, got 5');
    const unknown = { code: 'ERR_HEADGATE_UNKNOWN_OPTION', option: 'admited' };
    expect(observe({ admited() {} })).toThrow(expect.objectContaining(unknown));
    expect(observe({ admited() {} })).toThrow('did you mean "admitted"?');
  });
});

describe('the identity of a request', () => {
  it('is the same in all its events, and differs from that of other requests', () => {
    const clock = new VirtualClock();
    const limiter = createLimiter({ limit: 1, queueLimit: 1, queueTimeout: 50, clock });
    const { observer, seen } = recording();
    limiter.observe(observer);
    const held = limiter.tryAcquire();
    const waiting = call(limiter);
    call(limiter);
    held?.release();
    waiting.permit?.release();
    const events = seen();
    expect(events.map(({ kind }) => kind)).toEqual([
      ...['admitted', 'queued', 'rejected', 'released', 'admitted', 'released'],
    ]);
    const [first, second, third, fourth, fifth, sixth] = events.map(({ request }) => request);
    expect(first).toBe(fourth);
    expect(second).toBe(fifth);
    expect(second).toBe(sixth);
    expect(new Set([first, second, third]).size).toBe(3);
  });

  it('changes when the same waiter makes another request', () => {
    const limiter = createLimiter({ limit: 1, queueLimit: 1 });
    const { observer, seen } = recording(['queued', 'withdrawn', 'rejected', 'admitted']);
    limiter.observe(observer);
    const held = limiter.tryAcquire();
    const caller = call(limiter);
    limiter.withdraw(caller);
    limiter.request(caller);
    limiter.reject(caller, 'overloaded');
    held?.release();
    limiter.request(caller);
    const [, ...ids] = seen().map(({ request }) => request);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).toBe(ids[3]);
    expect(new Set(ids).size).toBe(3);
  });

  it('is an empty object, so that a logged event contains neither key nor caller', () => {
    const limiter = createLimiter({ limit: 1, perKey: true, queueLimit: 1 });
    const { observer, seen } = recording();
    limiter.observe(observer);
    limiter.tryAcquire({ key: 'secret' });
    call(limiter, { key: 'secret' });
    for (const { request } of seen()) expect(Reflect.ownKeys(request)).toEqual([]);
  });

  it('is the same in `admitted` and in the later report of shadow mode', () => {
    const gate = createGate({ mode: 'shadow', queueLimit: 0, limits: [{ name: 'app', limit: 1 }] });
    const { observer, seen } = recording(['rejected', 'admitted']);
    gate.observe(observer);
    for (let count = 0; count < 2; count++) askGate(gate, new Caller(), [{ weight: 1 }]);
    const [, admitted, rejected] = seen();
    expect([admitted?.kind, rejected?.kind]).toEqual(['admitted', 'rejected']);
    expect(rejected?.request).toBe(admitted?.request);
  });
});

describe('an observer of a gate that is added later', () => {
  const user = { name: 'user', limit: 1, perKey: true };

  it.each([
    ['one limit', [{ name: 'app', limit: 1 }]],
    ['several limits', [user, { name: 'app', limit: 1 }]],
  ])('receives each event once, with %s', (_, limits) => {
    const gate = createGate({ limits, queueLimit: 1 });
    const { observer, seen } = recording();
    const remove = gate.observe(observer);
    const demands = limits.map((limit) => ({ weight: 1, ...('perKey' in limit && { key: 'a' }) }));
    const [one, two, three] = [new Caller(), new Caller(), new Caller()];
    for (const caller of [one, two, three]) askGate(gate, caller, demands);
    one.permit?.release();
    Object.values(gate.limiters).at(-1)?.setLimit(3);
    two.permit?.release();
    const events = seen();
    expect(events.map(({ kind }) => kind)).toEqual([
      ...['admitted', 'queued', 'rejected', 'released', 'admitted', 'resized', 'released'],
    ]);
    const [admitted, queued, , released, admittedLater, , releasedLater] = events;
    expect(released?.request).toBe(admitted?.request);
    expect(admittedLater?.request).toBe(queued?.request);
    expect(releasedLater?.request).toBe(queued?.request);
    remove();
    Object.values(gate.limiters).at(-1)?.setLimit(4);
    expect(seen()).toEqual([]);
  });

  it('receives the events of its own limiters only, while a reused limiter reports its own', () => {
    const reused = createLimiter({ name: 'reused', limit: 1 });
    const gate = createGate({ limits: [user, { limiter: reused }], queueLimit: 0 });
    const [ofGate, ofLimiter, ofUser] = [recording(), recording(), recording()];
    gate.observe(ofGate.observer);
    reused.observe(ofLimiter.observer);
    Object.values(gate.limiters)[0]?.observe(ofUser.observer);
    askGate(gate, new Caller(), [{ key: 'a', weight: 1 }, { weight: 1 }]);
    reused.setLimit(2);
    Object.values(gate.limiters)[0]?.setLimit(2);
    expect(ofGate.kinds()).toEqual(['admitted', 'resized']);
    expect(ofLimiter.kinds()).toEqual(['admitted', 'resized']);
    expect(ofUser.kinds()).toEqual(['admitted', 'resized']);
  });

  it('receives the close of the gate', async () => {
    for (const limits of [[{ name: 'app', limit: 1 }], [user, { name: 'app', limit: 1 }]]) {
      const gate = createGate({ limits });
      expect(gate.closed).toBe(false);
      await gate.close();
      expect(gate.closed).toBe(true);
    }
  });
});
