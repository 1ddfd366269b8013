import { postgresStore } from '@headgate/postgres';
import { startProxy } from '@headgate/test-servers';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { BackgroundQueries } from '../src/background-queries.ts';
import type { PostgresClient } from '../src/client.ts';
import { type Query, statement } from '../src/client.ts';
import { blockEventLoop } from './blocked-event-loop.ts';
import { useDatabase } from './processes/database.ts';

const database = useDatabase();

test('queries whose callers have given up during an outage are not sent afterwards', async () => {
  const proxy = await startProxy(database.server);
  onTestFinished(() => proxy.stop());
  let sent = 0;
  /** Counts the queries of `stats()`. */
  const counting = () => {
    const client = new pg.Client(database.through(proxy).url);
    const query = client.query.bind(client) as (query: Query) => Promise<pg.QueryResult>;
    const counted = (asked: Query) => {
      if (asked.text.includes('count(t.place)')) sent += 1;
      return query(asked);
    };
    return Object.assign(client, { query: counted }) as unknown as PostgresClient;
  };
  const store = postgresStore({ connect: counting, timeout: 300 });
  onTestFinished(() => store.close());
  const stats = () => store.stats({ name: 'any' });
  await vi.waitFor(stats, 5_000);
  expect(sent).toBeGreaterThan(0);

  proxy.refuse(true);
  proxy.cut();
  const given = await Promise.allSettled(Array.from({ length: 50 }, stats));
  expect(new Set(given.map(({ status }) => status))).toEqual(new Set(['rejected']));
  sent = 0;
  proxy.refuse(false);
  await vi.waitFor(stats, 9_000);
  // The one that was waiting for a connection, and those sent since.
  expect(sent).toBeLessThan(10);
});

test('an answer that arrived while the event loop was busy proves that the connection works', async () => {
  let connections = 0;
  const make = () => {
    connections += 1;
    return new pg.Client(database.url) as unknown as PostgresClient;
  };
  const queries = new BackgroundQueries({
    ...{ make, timeout: 5_000 },
    settings: () => undefined,
    isNeeded: () => true,
  });
  onTestFinished(() => queries.reconnectingClient.close());
  const query = statement('SELECT 1');
  await queries.query(query);
  const answer = queries.query(query, { timeout: 100 });
  blockEventLoop(300);
  expect(await answer).toEqual([[1]]);
  expect(connections).toBe(1);
});
