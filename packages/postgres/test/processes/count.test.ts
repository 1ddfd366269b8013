import { expect, test, vi } from 'vitest';
import { type Held, type Limited, useCrew } from './crew.ts';
import { useDatabase } from './database.ts';

const crew = useCrew();
const database = useDatabase();

/** The outcomes of concurrent requests, in no particular order. */
async function outcomes(asked: readonly Promise<Held>[]) {
  const settled = await Promise.allSettled(asked);
  const held = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const reasons = settled.flatMap((one) => (one.status === 'rejected' ? one.reason.reason : []));
  return { held, reasons };
}

test('five processes with a limit of 4 admit 4 callers together', async () => {
  const processes = await crew.start(5, database, { limit: 4, queueLimit: 0 });
  const asked = processes.flatMap((one) => Array.from({ length: 5 }, () => one.acquire()));
  const { held, reasons } = await outcomes(asked);
  expect(held).toHaveLength(4);
  expect(new Set(held.map(({ fencing }) => fencing)).size).toBe(4);
  expect(reasons).toEqual(new Array(21).fill('full'));
});

test('a limit that several processes create at once is one row with one count', async () => {
  const options = { limit: 2, queueLimit: 0, name: 'set up at once' };
  const processes = await crew.start(5, database, options);
  const { held } = await outcomes(processes.map((one) => one.acquire()));
  expect(held).toHaveLength(2);
  const sql = `SELECT inflight::int FROM headgate.limits WHERE label = '["set up at once"]'`;
  expect(await database.rows(sql)).toEqual([[2]]);
  const twice = 'INSERT INTO headgate.limits OVERRIDING USER VALUE SELECT * FROM headgate.limits';
  await expect(database.rows(twice)).rejects.toThrow('duplicate key');
});

test('releasing a permit twice releases its weight once', async () => {
  const [one, two] = (await crew.start(2, database, { limit: 2 })) as [Limited, Limited];
  const held = await one.acquire();
  await two.acquire();
  const waiting = [await two.wait(), await two.wait()];
  await held.release();
  await held.release();
  await Promise.race(waiting.map((next) => next.held));
  expect(await one.do('stored')).toMatchObject({ inflight: 2, queued: 1 });
});

test('the database rejects a negative count', async () => {
  const [one] = (await crew.start(1, database, { limit: 2 })) as [Limited];
  await one.acquire();
  const sql = 'UPDATE headgate.limits SET inflight = inflight - 2 WHERE inflight = 1';
  await expect(database.rows(sql)).rejects.toThrow('violates check constraint');
});

test('of two requests of one process, whose pool has one connection, one gets a permit', async () => {
  const [one] = (await crew.start(1, database, { limit: 1, pool: 1 })) as [Limited];
  const held = await one.acquire();
  const waiting = await one.wait();
  expect(await one.do('stored')).toMatchObject({ inflight: 1, queued: 1 });
  expect(await one.do('ask', 'SELECT 1')).toBe(1);
  await held.release();
  await (await waiting.held).release();
});

test('the work of several processes never overlaps beyond the limit', async () => {
  const processes = await crew.start(3, database, { limit: 4 });
  const most = await Promise.all(processes.map((one) => one.do('work', 10, 30)));
  for (const here of most) expect(here).toBeLessThanOrEqual(4);
  await vi.waitFor(async () =>
    expect(await processes[0]?.do('stored')).toMatchObject({ inflight: 0, queued: 0 }),
  );
  for (const one of processes) expect(one.of('store')).toEqual([]);
});

test('a new limit applies in all processes, admits the waiters that fit, and revokes no permit', async () => {
  const [one, two] = (await crew.start(2, database, { limit: 1 })) as [Limited, Limited];
  const first = await one.acquire();
  const queue = [await two.wait(), await one.wait(), await two.wait()];
  await one.do('setLimit', 3);
  const others = [await queue[0]?.held, await queue[1]?.held];
  await two.do('setLimit', 1);
  for (const held of [first, ...others]) expect(await held?.isAborted()).toBe(false);
  await first.release();
  await others[0]?.release();
  await vi.waitFor(async () =>
    expect(await one.do('stored')).toMatchObject({ inflight: 1, queued: 1, limit: 1 }),
  );
  await others[1]?.release();
  await queue[2]?.held;
});

test('stored state and stats of a limit', async () => {
  const [one, two] = (await crew.start(2, database, { limit: 2 })) as [Limited, Limited];
  const held = [await one.acquire(), await two.acquire()];
  await expect(one.acquire({ queueTimeout: 500 })).rejects.toMatchObject({ reason: 'timeout' });
  const waiting = await two.wait();
  const stored = await one.do('stored');
  expect(stored).toMatchObject({ limit: 2, inflight: 2, holders: 2, queued: 1 });
  expect(stored.longestWait).toBeGreaterThan(0);
  expect(await one.do('stats')).toMatchObject({
    limit: 2,
    inflight: 1,
    queued: 0,
    admitted: 1,
    rejected: { timeout: 1 },
    distributed: { up: true, declared: 2, inflight: 2, reclaimed: 0, lost: 0 },
  });
  expect(await two.do('stats')).toMatchObject({ inflight: 1, queued: 1, admitted: 1 });
  for (const permit of held) await permit.release();
  await waiting.held;
});
