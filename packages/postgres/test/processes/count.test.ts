import { countSuite, outcomes } from '@headgate/test-servers/processes';
import { expect, test } from 'vitest';
import { useDatabase } from './database.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

const workers = useWorkers();
const database = useDatabase();

countSuite({
  start: (count, options) => workers.start(count, database, options),
  wait: 500,
  within: 10_000,
});

test('a limit that several processes create at the same time is one row with one count', async () => {
  const options = { limit: 2, queueLimit: 0, name: 'set up at once' };
  const processes = await workers.start(5, database, options);
  const { held } = await outcomes(processes.map((one) => one.acquire()));
  expect(held).toHaveLength(2);
  const sql = `SELECT inflight::int FROM headgate.limits WHERE label = '["set up at once"]'`;
  expect(await database.rows(sql)).toEqual([[2]]);
  const twice = 'INSERT INTO headgate.limits OVERRIDING USER VALUE SELECT * FROM headgate.limits';
  await expect(database.rows(twice)).rejects.toThrow('duplicate key');
});

test('the database rejects a negative count', async () => {
  const [one] = (await workers.start(1, database, { limit: 2 })) as [RemoteLimiter];
  await one.acquire();
  const sql = 'UPDATE headgate.limits SET inflight = inflight - 2 WHERE inflight = 1';
  await expect(database.rows(sql)).rejects.toThrow('violates check constraint');
});

test("one of two requests gets a permit if the process's pool has a single connection", async () => {
  const [one] = (await workers.start(1, database, { limit: 1, pool: 1 })) as [RemoteLimiter];
  const held = await one.acquire();
  const waiting = await one.wait();
  expect(await one.do('stored')).toMatchObject({ inflight: 1, queued: 1 });
  expect(await one.do('ask', 'SELECT 1')).toBe(1);
  await held.release();
  await (await waiting.held).release();
});
