import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { createGate, createLimiter, lifo, type Permit } from '../src/index.ts';

afterEach(() => void vi.useRealTimers());

const one = { limit: 1, queueLimit: 0 } as const;
const pair = [
  { name: 'key', limit: 9, perKey: true },
  { name: 'all', limit: 1 },
];

/** Limits whose only permit is held. */
const full = {
  'a limiter': () => createLimiter(one),
  'a gate of one limit': () => createGate({ limits: [{ name: 'all', ...one }], queueLimit: 0 }),
  'a gate': () => createGate({ limits: pair, queueLimit: 0 }),
};

/** Tries again, without a pause, until `isDone`. Returns the number of rejections. */
async function retry(attempt: () => Promise<unknown>, isDone: () => boolean): Promise<number> {
  for (let rejections = 0; ; rejections++) {
    if (isDone()) return rejections;
    // More than a test needs: if the event loop is blocked, no timer ever ends the test.
    if (rejections > 100_000) throw new Error('the event loop did not turn');
    await attempt().catch(() => {});
  }
}

it.each(Object.entries(full))(
  'a caller that is rejected by %s and tries again lets the event loop turn',
  async (_, create) => {
    const entrance = create();
    await entrance.acquire();
    const attempts = {
      acquire: () => entrance.acquire(),
      run: () => entrance.run(() => {}),
      aborted: () => entrance.acquire({ signal: AbortSignal.abort() }),
      'aborted run': () => entrance.run(() => {}, { signal: AbortSignal.abort() }),
    };
    for (const attempt of Object.values(attempts)) {
      let turns = 0;
      const timer = setInterval(() => turns++, 1);
      expect(await retry(attempt, () => turns > 2)).toBeGreaterThan(0);
      clearInterval(timer);
    }
  },
);

it('callers that displace each other from a queue do not block the event loop', async () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 1, order: lifo() });
  const held = limiter.tryAcquire() as Permit;
  let isDone = false;
  setTimeout(() => {
    isDone = true;
    held.release();
  }, 5);
  const both = [1, 2].map(() =>
    retry(
      () => limiter.run(() => {}),
      () => isDone,
    ),
  );
  await Promise.all(both);
});

it('ten thousand rejections of one event-loop iteration share a timer, and all settle in the next one', async () => {
  const limiter = createLimiter(one);
  limiter.tryAcquire();
  let rejected = 0;
  for (let i = 0; i < 10_000; i++) limiter.run(() => {}).catch(() => rejected++);
  await Promise.resolve();
  expect(rejected).toBe(0);
  await turn();
  expect(rejected).toBe(10_000);
});

it('a rejection settles although a test has replaced all timers', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'setImmediate', 'performance'] });
  const limiter = createLimiter(one);
  limiter.tryAcquire();
  await expect(limiter.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_REJECTED' });
});

it.each([
  ['a limiter', () => createLimiter({ limit: 1, queueLimit: 1 })],
  [
    'a gate',
    () =>
      createGate({
        limits: [
          { name: 'all', limit: 1, queueLimit: 1 },
          { name: 'more', limit: 9 },
        ],
      }),
  ],
])(
  'on Workers, %s rejects a new caller in a later turn, and a queued one at once',
  async (_, create) => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
    onTestFinished(() => void vi.unstubAllGlobals());
    const entrance = create();
    await entrance.acquire();
    const order: string[] = [];
    const note = (text: string) => () => void order.push(text);
    const queued = entrance.acquire().catch(note('queued'));
    const late = entrance.acquire().catch(note('new'));
    void entrance.close();
    await queued;
    order.push('turn');
    await late;
    expect(order).toEqual(['queued', 'turn', 'new']);
  },
);
