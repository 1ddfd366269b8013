import { once } from 'node:events';
import { startPostgres, startRedis } from '@headgate/test-servers';
import { expect, it, onTestFinished } from 'vitest';
import { programOf, run, start } from './programs.ts';

/** What the recipe calls: work that keeps its permit. */
const granted = `globalThis.render = () => new Promise(() => {});`;

const running = 4;

/** The answer to the first request that the limit rejects: all others wait for a permit. */
async function rejected(request: (signal: AbortSignal) => Promise<Response>): Promise<Response> {
  const others = new AbortController();
  onTestFinished(() => others.abort());
  const pending = Array.from({ length: running + 1 }, () => request(others.signal));
  const answer = await Promise.race(pending);
  for (const each of pending) each.catch(() => {});
  return answer;
}

it('the recipe for tRPC answers a rejection with 503 and Retry-After', async () => {
  const url = await start(granted + programOf('docs/recipes-trpc.md'));
  const answer = await rejected((signal) => fetch(`${url}/report`, { signal }));
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await answer.json()).toMatchObject({ error: { data: { code: 'SERVICE_UNAVAILABLE' } } });
});

it('the recipe for GraphQL Yoga answers a rejection with 503 and Retry-After', async () => {
  const url = await start(granted + programOf('docs/recipes-graphql-yoga.md'));
  const query = encodeURIComponent('{ report }');
  const answer = await rejected((signal) => fetch(`${url}/graphql?query=${query}`, { signal }));
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  const body = await answer.text();
  expect(JSON.parse(body)).toMatchObject({ errors: [{ extensions: { code: 'TOO_BUSY' } }] });
  expect(body).not.toContain('renders');
});

/** Long enough for a busy machine. */
const PATIENCE = { timeout: 20_000 };

/** What the program that reads plans calls, and a route that counts the running requests of each account. */
const beforePlans = `
import express from 'express';
const latch = () => {
  let open;
  return Object.assign(new Promise((resolve) => { open = resolve; }), { open });
};
const latches = { queries: latch(), work: latch() };
const state = { queries: 0, running: {}, peak: {} };
function began(name) {
  state.running[name] = (state.running[name] ?? 0) + 1;
  state.peak[name] = Math.max(state.peak[name] ?? 0, state.running[name]);
}
globalThis.app = express();
app.get('/state', (_req, res) => res.json(state));
app.get('/open/:latch', (req, res) => res.json(latches[req.params.latch].open() ?? null));
globalThis.authenticate = (req, _res, next) => {
  req.account = { id: req.get('x-account') };
  next();
};
globalThis.queryPlan = async (id) => {
  state.queries++;
  began('queries');
  await latches.queries;
  state.running.queries--;
  return id.split('-')[0];
};
`;

const behindPlans = `
app.get('/', async (req, res) => {
  began(req.account.id);
  await latches.work;
  state.running[req.account.id]--;
  res.end();
});
app.listen(0);
`;

it('the program with a plan from a database limits each account by its plan, and the queries too', async () => {
  const program = programOf('docs/limit-per-tenant.md', { heading: '## A plan from a database\n' });
  const url = await start(beforePlans + program + behindPlans);
  const state = async () => (await fetch(`${url}/state`)).json();
  const paid = Array.from({ length: 12 }, () => 'paid-1');
  const free = [
    'free-1',
    'free-1',
    'free-1',
    ...Array.from({ length: 28 }, (_, i) => `free-a${i}`),
  ];
  const calls = [...paid, ...free].map((id) => fetch(url, { headers: { 'x-account': id } }));
  await expect.poll(state, PATIENCE).toMatchObject({ queries: 10 });
  await fetch(`${url}/open/queries`);
  await expect
    .poll(state, PATIENCE)
    .toMatchObject({ running: { 'paid-1': 10, 'free-1': 2, 'free-a27': 1 } });
  await fetch(`${url}/open/work`);
  await Promise.all(calls);
  expect(await state()).toMatchObject({
    queries: 30,
    peak: { queries: 10, 'paid-1': 10, 'free-1': 2 },
  });
});

it('the recipe for background jobs waits for an unavailable store, and runs when it is back', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  await redis.kill();
  const program = programOf('docs/recipes-background-jobs.md', { index: 1 });
  expect(program).toContain('redis://redis.internal:6379');
  const child = run(
    `globalThis.render = async (text) => \`rendered \${text}\`;
    ${program.replace('redis://redis.internal:6379', redis.url)}
    renders.observe({ rejected: ({ rejection }) => process.send(rejection.reason) });
    process.send(await job('a report', new AbortController().signal));`,
    // The client prints its errors.
    'ignore',
  );
  expect(await once(child, 'message')).toContain('store');
  const messages: unknown[] = [];
  child.on('message', (message) => messages.push(message));
  await redis.restart();
  await expect.poll(() => messages, { timeout: 20_000 }).toContain('rendered a report');
});

/** A route that counts the running queries of the recipe. */
const runningQueries = `
app.get('/running', async (_req, res) => {
  const queries = "SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep($1)' AND state = 'active'";
  res.json((await canceller.query(queries)).rowCount);
});`;

it('the recipe for PostgreSQL ends the queries of clients that have left, and serves the others', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const program = programOf('docs/recipes-cancel-queries.md');
  expect(program).toContain('postgres://postgres.internal/app');
  const url = await start(
    program.replace('postgres://postgres.internal/app', postgres.url) + runningQueries,
  );
  const sleeping = async () => Number(await (await fetch(`${url}/running`)).text());
  const clients = Array.from({ length: 10 }, () => new AbortController());
  const left = clients.map(({ signal }) =>
    fetch(`${url}/report?seconds=600`, { signal }).catch(() => 'left'),
  );
  await expect.poll(sleeping, PATIENCE).toBe(10);
  // The pool has no connection for it until a query ends.
  const waiting = fetch(`${url}/report?seconds=0`);
  for (const client of clients) client.abort();
  expect(await Promise.all(left)).toEqual(clients.map(() => 'left'));
  expect((await waiting).status).toBe(200);
  await expect.poll(sleeping, PATIENCE).toBe(0);
  // Each connection is in order again.
  const later = await Promise.all(
    clients.map(async () => (await fetch(`${url}/report?seconds=0.01`)).status),
  );
  expect(later).toEqual(clients.map(() => 200));
});
