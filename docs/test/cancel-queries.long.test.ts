import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres } from '@headgate/test-servers';
import { expect, it, onTestFinished } from 'vitest';
import { programOf, start } from './programs.ts';

const CONNECTIONS = 10;
const QUERY = 2_000;

/** Measures the time in which queries run for clients that have not left, and reports what is in use. */
const measuring = `
// Of a limit that sheds load.
process.emitWarning = () => {};
let [present, since, useful] = [0, performance.now(), 0];
const change = (by) => {
  const now = performance.now();
  useful += present * (now - since);
  [since, present] = [now, present + by];
};
const recipe = query;
query = async (text, values, signal) => {
  change(1);
  let end = () => { end = () => {}; change(-1); };
  signal.addEventListener('abort', () => end());
  try {
    return await recipe(text, values, passedOn(signal));
  } finally {
    end();
  }
};
app.get('/time', (_req, res) => { change(0); res.json({ now: since, useful }); });
app.get('/in-use', async (_req, res) => {
  const queries = "SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep($1)' AND state = 'active'";
  const { rowCount } = await canceller.query(queries);
  const connections = pool.totalCount - pool.idleCount + pool.waitingCount;
  res.json([limit.stats().holders, limit.stats().queued, cancels.holders, connections, rowCount]);
});
// The error of each query that was cancelled.
app.use((_error, _req, res, _next) => res.status(500).end());
`;

interface Time {
  readonly now: number;
  readonly useful: number;
}

/** The part of the connections' time that is spent on clients that have not left, if nine in ten leave. */
async function usefulPart(passedOn: string): Promise<number> {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const program = programOf('docs/recipes-cancel-queries.md').replace(
    'postgres://postgres.internal/app',
    postgres.url,
  );
  expect(program).toContain(postgres.url);
  const url = await start(`${program}const passedOn = ${passedOn};${measuring}`);
  const read = async (path: string) => (await fetch(url + path)).json();
  const calls = callFor(7 * QUERY, `${url}/report?seconds=${QUERY / 1_000}`);
  await delay(QUERY);
  const before: Time = await read('/time');
  await delay(5 * QUERY);
  const after: Time = await read('/time');
  await calls;
  await expect.poll(() => read('/in-use'), { timeout: 20_000 }).toEqual([0, 0, 0, 0, 0]);
  return (after.useful - before.useful) / (after.now - before.now) / CONNECTIONS;
}

/** Calls more often than can be served. Nine in ten callers leave, at any time within the time of a query. */
async function callFor(duration: number, url: string): Promise<void> {
  const calls: Promise<unknown>[] = [];
  for (const end = performance.now() + duration; performance.now() < end; await delay(40)) {
    const client = new AbortController();
    if (Math.random() < 0.9) setTimeout(() => client.abort(), QUERY * Math.random());
    calls.push(fetch(url, { signal: client.signal }).catch(() => {}));
  }
  await Promise.all(calls);
}

it('the recipe for PostgreSQL spends its connections on clients that have not left, if nine in ten leave', async () => {
  expect(await usefulPart('(signal) => signal')).toBeGreaterThan(0.98);
}, 120_000);

it('without the signal, it spends them on clients that have left', async () => {
  expect(await usefulPart('() => undefined')).toBeLessThan(0.7);
}, 120_000);
