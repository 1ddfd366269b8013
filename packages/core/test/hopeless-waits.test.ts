import { Caller, call, type Wishes } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import {
  byPriority,
  byShare,
  createGate,
  createLimiter,
  fair,
  type LimiterOptions,
  lifo,
  type Permit,
} from '../src/index.ts';
import { askGate } from './ask-gate.ts';

const reason = ({ rejection, permit }: Caller) =>
  rejection?.reason ?? (permit ? 'granted' : 'waits');

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** Releases until the rate of a limit up to 8 is known. */
const UNTIL_KNOWN = 32;

/** A limiter whose requests have taken 500 ms each until now, while others were queued. */
function measured(options: Partial<LimiterOptions> = {}) {
  const clock = new VirtualClock({ random: () => 0 });
  const limiter = createLimiter({ limit: 1, queueTimeout: 1000, clock, ...options });
  const granted: Permit[] = [];
  const ask = (wishes: Wishes = {}) =>
    call(limiter, { ...wishes, onGranted: (permit) => granted.push(permit) });
  const finish = (after = 500) => {
    clock.advance(after);
    granted.shift()?.release();
  };
  for (let count = 0; count < limiter.limit + 1; count++) ask({ queueTimeout: 60_000 });
  for (let count = 0; count <= UNTIL_KNOWN; count++) {
    ask({ queueTimeout: 60_000 });
    finish();
  }
  finish();
  expect(limiter.stats()).toMatchObject({ queued: 0, rejected: { full: 0, timeout: 0 } });
  return { clock, limiter, ask, finish };
}

/** The number of requests with this timeout that wait before one is rejected as full. */
const waitsBeforeFull = (ask: () => Caller) => {
  const reasons = times(200, () => reason(ask()));
  expect(new Set(reasons.slice(reasons.indexOf('full')))).toEqual(new Set(['full']));
  return reasons.indexOf('full');
};

describe('a request behind waiters that need more than three times its timeout', () => {
  it('is rejected on arrival as full', () => {
    const { ask } = measured();
    // Six of them need 3 s.
    expect(times(7, () => reason(ask()))).toEqual(Array(7).fill('waits'));
    expect(ask().rejection).toMatchObject({ reason: 'full', waited: 0, queued: 7 });
  });

  it('is recognized by its own queueTimeout', () => {
    const { ask } = measured();
    for (let count = 0; count < 4; count++) ask({ queueTimeout: Infinity });
    const timeouts = [600, 666, 667, Number.POSITIVE_INFINITY];
    const reasons = timeouts.map((queueTimeout) => reason(ask({ queueTimeout })));
    expect(reasons).toEqual(['full', 'full', 'waits', 'waits']);
  });

  it('is recognized by the weight ahead of it, whatever its own weight', () => {
    // A weight of 1 is released every 500 ms.
    const { ask } = measured({ limit: 4 });
    const reasons = [3, 3, 4, 1].map((weight) => reason(ask({ weight })));
    expect(reasons).toEqual(['waits', 'waits', 'waits', 'full']);
  });

  it('is recognized by the queue of its own key', () => {
    const clock = new VirtualClock();
    const limiter = createLimiter({ limit: 1, perKey: true, clock });
    const ask = (key: string) => call(limiter, { key });
    const held = [ask('slow'), ask('slow')];
    for (let count = 0; count <= UNTIL_KNOWN; count++) {
      held.push(ask('slow'));
      clock.advance(900);
      held.shift()?.permit?.release();
    }
    clock.advance(900);
    held.shift()?.permit?.release();
    ask('other');
    expect(times(8, () => reason(ask('slow')))).toEqual([...Array(7).fill('waits'), 'full']);
    expect(times(8, () => reason(ask('other')))).toEqual(Array(8).fill('waits'));
  });

  it('waits once the limit is raised', () => {
    const { ask, limiter } = measured();
    expect(waitsBeforeFull(ask)).toBe(7);
    limiter.setLimit(2);
    expect(times(8, () => reason(ask()))).toEqual([...Array(7).fill('waits'), 'full']);
  });

  it('waits soon after the releases have become faster', () => {
    const { ask, finish } = measured();
    ask();
    for (let count = 0; count < 2 * UNTIL_KNOWN; count++) {
      ask();
      finish(20);
    }
    finish(20);
    expect(waitsBeforeFull(ask)).toBe(151);
  });

  it('waits while nothing is released, since that may end at any time', () => {
    const { ask, clock } = measured();
    clock.advance(60_000);
    expect(waitsBeforeFull(ask)).toBe(7);
  });

  it('waits after many small bursts, in which each waiter waits for a whole duration', () => {
    const clock = new VirtualClock();
    const limiter = createLimiter({ limit: 10, clock });
    const onGranted = (permit: Permit) => clock.setTimeout(() => permit.release(), 50);
    for (let count = 0; count < 200; count++) {
      times(11, () => call(limiter, { onGranted }));
      clock.advance(200);
    }
    // They are served in 1.9 s, of 2 s.
    const burst = times(380, () => call(limiter, { onGranted }));
    while (clock.armed > 0) clock.advance(1000);
    expect(burst.filter(({ permit }) => permit === undefined)).toEqual([]);
  });

  it('waits in a new process, where no rate is known', () => {
    const limiter = createLimiter({ limit: 1, clock: new VirtualClock() });
    expect(times(500, () => reason(call(limiter)))).not.toContain('full');
  });

  it('waits even if 100,000 calls come in the same iteration of the event loop, in which none can end', async () => {
    const clock = new VirtualClock();
    const limiter = createLimiter({ limit: 10, queueLimit: 1e6, clock });
    const calls = times(100_000, () => {
      clock.busy(0.003);
      return limiter.run(() => true);
    });
    expect(new Set(await Promise.all(calls))).toEqual(new Set([true]));
  });

  it('waits at a paused limiter, which starts measuring again when it is resumed', () => {
    const { ask, clock, limiter, finish } = measured();
    limiter.pause();
    expect(times(9, () => reason(ask()))).not.toContain('full');
    finish();
    clock.advance(400);
    limiter.resume();
    expect(reason(ask())).toBe('waits');
  });

  it.each([
    ['lifo()', lifo()],
    ['byPriority()', byPriority()],
    ['fair()', fair()],
    ['byShare()', byShare({ gold: 0.5 })],
  ])('waits with %s, which may serve it before others', (_, order) => {
    const { ask } = measured({ order });
    expect(times(50, () => reason(ask()))).toEqual(Array(50).fill('waits'));
  });
});

describe('a request that would be served before jobs without a timeout', () => {
  const job = { priority: 'low', queueTimeout: Number.POSITIVE_INFINITY } as const;

  it('displaces no job, however many there are', () => {
    const { ask } = measured({ order: byPriority() });
    const jobs = times(50, () => ask(job));
    expect(reason(ask({ priority: 'high' }))).toBe('waits');
    expect(jobs.map(reason)).not.toContain('full');
  });

  it('displaces a job if the queue is full', () => {
    const { ask } = measured({ order: byPriority(), queueLimit: 3 });
    const jobs = times(3, () => ask(job));
    expect(reason(ask({ priority: 'high' }))).toBe('waits');
    expect(jobs.map(reason)).toEqual(['waits', 'waits', 'full']);
  });
});

describe('a request of a gate behind waiters that need more than three times its timeout', () => {
  function gated() {
    const clock = new VirtualClock();
    const limits = [
      { name: 'user', limit: 1, perKey: true },
      { name: 'app', limit: 1 },
    ];
    const gate = createGate({ limits, clock, queueTimeout: 1000 });
    const ask = (key: string | undefined, isForApp = true) => {
      const caller = new Caller();
      const demands = [
        key === undefined ? undefined : { key, weight: 1 },
        isForApp ? { weight: 1 } : undefined,
      ];
      askGate(gate, caller, demands as never);
      return caller;
    };
    const held = [ask(undefined), ask(undefined)];
    for (let count = 0; count <= UNTIL_KNOWN; count++) {
      held.push(ask(undefined));
      clock.advance(490);
      held.shift()?.permit?.release();
    }
    clock.advance(490);
    held.shift()?.permit?.release();
    return { clock, gate, ask };
  }

  it('is rejected by the limit at which it would wait', () => {
    const { ask, gate } = gated();
    const users = times(7, () => 'user').map((name, index) => reason(ask(`${name}${index}`)));
    expect(users).toEqual(Array(7).fill('waits'));
    expect(ask('bob').rejection).toMatchObject({ reason: 'full', limitName: 'app' });
    expect(gate.stats()).toMatchObject({ queued: 7, limits: [{ inflight: 7 }, { inflight: 1 }] });
  });

  it('waits if it comes from an earlier limit, since it is queued ahead of later requests', () => {
    const { ask, clock } = gated();
    const holder = ask('cid', false);
    const caller = ask('cid');
    clock.advance(800);
    for (let user = 0; user < 7; user++) ask(`user${user}`);
    holder.permit?.release();
    expect(reason(caller)).toBe('waits');
    clock.advance(200);
    expect(caller.rejection).toMatchObject({ reason: 'timeout', limitName: 'app', waited: 1000 });
  });
});
