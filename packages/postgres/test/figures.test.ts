import { createLimiter, type Limiter } from '@headgate/core';
import { type PostgresStore, postgresStore } from '@headgate/postgres';
import type { Store } from '@headgate/store-kit';
import { type PostgresServer, startPostgres } from '@headgate/test-servers';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

// The cost of a distributed limit.

let server: PostgresServer;
let store: PostgresStore;
let name = 'figures';
let count = 0;
/** Counts statements of operations on all connections. */
let statements = 0;

beforeAll(async () => {
  server = await startPostgres();
  store = postgresStore({ connect: counting });
  await store.migrate();
  await create(1).run(() => {});
}, 30_000);
beforeEach(() => {
  name = `figures ${++count}`;
  statements = 0;
});
afterAll(async () => {
  await store.close();
  await server.stop();
});

/** A client that counts its queries. */
function counting(): pg.Client {
  const client = new pg.Client(server.url);
  const query = client.query.bind(client) as (query: pg.QueryConfig) => Promise<pg.QueryResult>;
  const counted = (asked: pg.QueryConfig) => {
    if (/^headgate (acquire|release|lease|leases)$/.test(asked.name ?? '')) statements += 1;
    return query(asked);
  };
  return Object.assign(client, { query: counted });
}

function create(limit: number, of: Store = store): Limiter {
  return createLimiter({ name, limit, queueLimit: 2_000, queueTimeout: 60_000, store: of });
}

test('a request costs two statements', async () => {
  const limiter = create(4);
  for (let i = 0; i < 20; i++) await limiter.run(() => {});
  await limiter.close();
  expect(statements).toBe(40);
});

test('operations of one event-loop iteration are sent together', async () => {
  const limiter = create(100);
  const permits = await Promise.all(Array.from({ length: 50 }, () => limiter.acquire()));
  expect(statements).toBe(1);
  for (const permit of permits) permit.release();
  await limiter.close();
  expect(statements).toBe(2);
});

test('operations on several limits in one event-loop iteration are sent as one statement', async () => {
  const limiters = [1, 2, 3].map((limit) => {
    name = `figures ${++count}`;
    return create(limit);
  });
  const permits = await Promise.all(limiters.map((limiter) => limiter.acquire()));
  expect(statements).toBe(1);
  for (const permit of permits) permit.release();
  await Promise.all(limiters.map((limiter) => limiter.close()));
  expect(statements).toBe(2);
});

test('with a reserve, sequential calls need one round trip in a hundred', async () => {
  const reserving = postgresStore({ connect: counting, reserve: 1 });
  const limiter = create(2, reserving);
  for (let i = 0; i < 200; i++) await limiter.run(() => {});
  await limiter.close();
  await reserving.close();
  // Four, unless the machine pauses for longer than the time after which idle permits are released.
  expect(statements).toBeLessThan(20);
});
