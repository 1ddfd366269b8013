import { describe, expect, it } from 'vitest';
import { said, settings, World } from './world.ts';

describe('the queue', () => {
  it('is FIFO: smaller counts do not overtake a large one', () => {
    const world = new World({ A: 5 });
    const [small, big, late] = [world.peer(), world.peer(), world.peer()];
    expect(world.acquire(small, 'A', 1)).toBe(true);
    expect(world.acquire(big, 'A', 5)).toBe(false);
    expect(world.acquire(late, 'A', 1)).toBe(false);
    expect(world.remainder('A')).toBe(4);
    world.state.deletePeer(small);
    expect(world.remainder('A')).toBe(0);
    expect(world.state.isAcquired(big)).toBe(true);
    expect(world.state.isAcquired(late)).toBe(false);
  });

  it('continues when the first pending lock is withdrawn', () => {
    const world = new World({ A: 5 });
    const [holder, big, small] = [world.peer(), world.peer(), world.peer()];
    world.acquire(holder, 'A', 1);
    world.acquire(big, 'A', 5);
    world.acquire(small, 'A', 1);
    world.state.releaseLock(big, 'A');
    expect(world.state.isAcquired(small)).toBe(true);
    expect(world.remainder('A')).toBe(3);
  });

  it('grants nothing to a peer that expires at the same instant', () => {
    const world = new World({ A: 1 });
    const [holder, next, last] = [world.peer(100), world.peer(100), world.peer(200)];
    world.acquire(holder, 'A');
    world.acquire(next, 'A');
    world.acquire(last, 'A');
    const answers = world.block(next, 'A', 1_000);
    world.pass(100);
    expect(answers).toEqual(['Unknown peer']);
    expect(world.state.isAcquired(last)).toBe(true);
    expect(world.expired).toEqual([2]);
  });
});

describe('a blocked request', () => {
  it('is answered once, by a grant or by its timeout', () => {
    const world = new World({ A: 1 });
    const [holder, next] = [world.peer(), world.peer()];
    world.acquire(holder, 'A');
    world.acquire(next, 'A');
    const [first, second] = [world.block(next, 'A', 10), world.block(next, 'A', 1_000)];
    world.pass(10);
    expect([first, second]).toEqual([[false], []]);
    world.state.releaseLock(holder, 'A');
    world.state.deletePeer(next);
    world.pass(100_000);
    expect([first, second]).toEqual([[false], [true]]);
  });

  it('is answered immediately when its lock is withdrawn, and does not hold it', () => {
    const world = new World({ A: 1 });
    const [holder, next] = [world.peer(), world.peer()];
    world.acquire(holder, 'A');
    world.acquire(next, 'A');
    const answers = world.block(next, 'A', 1_000);
    world.state.releaseLock(next, 'A');
    expect(answers).toEqual([false]);
  });

  it('is not answered after its client has disconnected, and its lock stays pending', () => {
    const world = new World({ A: 1 });
    const [holder, next] = [world.peer(), world.peer()];
    world.acquire(holder, 'A');
    world.acquire(next, 'A');
    const request = { peer: next, semaphore: 'A', count: 1n };
    const wait = world.state.wait(request, 1_000, () => expect.unreachable());
    world.state.forget(wait as never);
    world.state.deletePeer(holder);
    expect(world.state.isAcquired(next)).toBe(true);
    expect(world.state.size.waits).toBe(0);
  });
});

describe('bounds', () => {
  it('maxPeers applies to restored peers as well, and has room again after an expiry', () => {
    const world = new World({ A: 1 }, { maxPeers: 2 });
    world.peer(100);
    world.peer();
    expect(said(world.state.newPeer(100))).toBe('Too many peers.');
    expect(said(world.state.restore(77n, new Map(), 100))).toBe('Too many peers.');
    world.pass(100);
    expect(said(world.state.restore(77n, new Map(), 100))).toBeUndefined();
  });

  it('a request refused by maxBlocked leaves its lock queued', () => {
    const world = new World({ A: 1 }, { maxBlocked: 1 });
    const [holder, next, last] = [world.peer(), world.peer(), world.peer()];
    for (const peer of [holder, next, last]) world.acquire(peer, 'A');
    expect(world.block(next, 'A', 1_000)).toEqual([]);
    expect(world.block(last, 'A', 1_000)).toEqual(['Too many blocked requests.']);
    world.state.deletePeer(holder);
    world.state.deletePeer(next);
    expect(world.state.isAcquired(last)).toBe(true);
  });
});

describe('time', () => {
  it('wakeAt reports each due instant, and `next` is the earliest', () => {
    const instants: number[] = [];
    const world = new World({ A: 1 }, { wakeAt: (instant) => instants.push(instant) });
    const holder = world.peer(1_000);
    const next = world.peer(2_000);
    world.acquire(holder, 'A');
    world.acquire(next, 'A');
    world.block(next, 'A', 500);
    expect(instants).toEqual([1_000, 2_000, 500]);
    expect(world.state.next).toBe(500);
    world.pass(500);
    expect(world.state.next).toBe(1_000);
    world.state.deletePeer(holder);
    world.state.deletePeer(next);
    expect(world.state.next).toBe(Infinity);
  });
});

describe('a new configuration', () => {
  it('grants pending locks immediately when it raises a full count', () => {
    const world = new World({ A: 1 });
    const [holder, next] = [world.peer(), world.peer()];
    world.acquire(holder, 'A');
    world.acquire(next, 'A');
    const answers = world.block(next, 'A', 1_000);
    world.state.configure(settings({ A: 2 }));
    expect(answers).toEqual([true]);
  });

  it('revokes nothing when it lowers a full count, and grants nothing until enough is released', () => {
    const world = new World({ A: 3 });
    const [one, two, next] = [world.peer(), world.peer(), world.peer()];
    world.acquire(one, 'A', 2);
    world.acquire(two, 'A', 1);
    world.acquire(next, 'A', 1);
    world.state.configure(settings({ A: 1 }));
    expect(world.remainder('A')).toBe(-2);
    expect(world.acquire(one, 'A', 2)).toBe(true);
    world.state.deletePeer(one);
    expect(world.state.isAcquired(next)).toBe(false);
    world.state.deletePeer(two);
    expect(world.state.isAcquired(next)).toBe(true);
  });

  it('skips a pending lock above a lowered full count until it is raised', () => {
    const world = new World({ A: 3 });
    const [holder, big, small] = [world.peer(), world.peer(), world.peer()];
    world.acquire(holder, 'A', 1);
    world.acquire(big, 'A', 3);
    world.state.configure(settings({ A: 2 }));
    expect(world.acquire(small, 'A', 1)).toBe(true);
    expect(world.acquire(big, 'A', 3)).toMatch(/^Lock can never be acquired/);
    expect(world.state.isAcquired(big)).toBe(false);
    world.state.configure(settings({ A: 5 }));
    expect(world.state.isAcquired(big)).toBe(true);
  });

  it('keeps a removed semaphore until its last lock is gone', () => {
    const world = new World({ A: 1 });
    const [holder, next, stranger] = [world.peer(), world.peer(), world.peer()];
    world.acquire(holder, 'A');
    world.acquire(next, 'A');
    world.state.configure(settings({ B: 1 }));
    expect(world.acquire(stranger, 'A')).toBe('Unknown semaphore');
    expect(said(world.state.restore(99n, new Map([['A', 1n]]), 1))).toBe('Unknown semaphore');
    expect(world.acquire(next, 'A')).toBe(false);
    expect(said(world.state.releaseLock(holder, 'A'))).toBeUndefined();
    expect(world.acquire(next, 'A')).toBe(true);
    world.state.deletePeer(next);
    expect(said(world.state.remainder('A'))).toBe('Unknown semaphore');
    expect(world.state.size.semaphores).toBe(1);
  });

  it('takes up a removed semaphore again with its locks', () => {
    const world = new World({ A: 1 });
    const [holder, next] = [world.peer(), world.peer()];
    world.acquire(holder, 'A');
    world.state.configure(settings({}));
    world.state.configure(settings({ A: 1 }));
    expect(world.acquire(next, 'A')).toBe(false);
    world.state.deletePeer(holder);
    expect(world.state.isAcquired(next)).toBe(true);
  });
});
