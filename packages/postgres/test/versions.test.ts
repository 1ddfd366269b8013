import { createLimiter } from '@headgate/core';
import { postgresStore } from '@headgate/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { useDatabase } from './processes/database.ts';

const database = useDatabase();
let serial = 0;

function start(schema: string) {
  const store = postgresStore({ connect: database.server.url, schema });
  const limiter = createLimiter({
    ...{ name: 'versions', limit: 2, queueLimit: 1_000, queueTimeout: 9_000, store },
  });
  limiter.observe({ store() {} });
  onTestFinished(async () => {
    await limiter.close({ timeout: 0 });
    await store.close();
  });
  return { store, limiter };
}

/** Creates tables in a schema of their own. */
async function migrated(): Promise<string> {
  const schema = `versions_${++serial}`;
  await postgresStore({ connect: database.server.url, schema }).migrate();
  return schema;
}

/** Changes the version as another release would. */
function declare(schema: string, version: number, oldest: number): Promise<unknown> {
  return database.rows(`CREATE OR REPLACE FUNCTION ${schema}.version() RETURNS integer[] LANGUAGE sql IMMUTABLE
    AS 'SELECT ARRAY[${version}, ${oldest}]'`);
}

function refusal(...parts: string[]) {
  const message = expect.stringMatching(new RegExp(parts.join('.*')));
  return { code: 'ERR_HEADGATE_STORE_REFUSED', message };
}

test('tables of an older release are rejected until migrate() has upgraded them', async () => {
  const schema = await migrated();
  await declare(schema, 0, 0);
  const { store, limiter } = start(schema);
  const error = refusal('version 0', 'version 4', 'await store.migrate()');
  await expect(limiter.acquire()).rejects.toMatchObject(error);
  await store.migrate();
  await expect.poll(() => limiter.acquire().then(() => 'held', String)).toBe('held');
});

test('tables without a version are rejected until migrate() has run', async () => {
  const schema = await migrated();
  await database.rows(`DROP FUNCTION ${schema}.version()`);
  const { store, limiter } = start(schema);
  await expect(limiter.acquire()).rejects.toMatchObject(refusal('42883', 'migrate'));
  await store.migrate();
  await expect.poll(() => limiter.acquire().then(() => 'held', String)).toBe('held');
});

test('an older release continues with newer tables that it can use, and migrate() leaves them unchanged', async () => {
  const schema = await migrated();
  await declare(schema, 99, 1);
  await database.rows(
    `CREATE OR REPLACE FUNCTION ${schema}.forget() RETURNS bigint LANGUAGE sql AS 'SELECT 7::bigint'`,
  );
  const { store, limiter } = start(schema);
  await store.migrate();
  await limiter.acquire();
  expect(await database.ask(`SELECT ${schema}.version()`)).toEqual([99, 1]);
  expect(await database.ask(`SELECT ${schema}.forget()`)).toBe('7');
});

test('an older release rejects newer tables that it cannot use', async () => {
  const schema = await migrated();
  await declare(schema, 99, 98);
  const { store, limiter } = start(schema);
  const error = refusal('version 99', 'version 4', 'upgrade @headgate/postgres');
  await expect(store.migrate()).rejects.toMatchObject(error);
  await expect(limiter.acquire()).rejects.toMatchObject(error);
});

test('a process rejects tables that another release migrates, once it has reconnected', async () => {
  const schema = await migrated();
  const { store, limiter } = start(schema);
  (await limiter.acquire()).release();
  await declare(schema, 99, 98);
  // Only the listening connection ends: the process would continue with the others.
  const sql = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid =
    (SELECT number FROM ${schema}.members)`;
  expect(await database.ask(sql)).toBe(true);
  // Calls are admitted until the process has noticed, and must release their permits.
  const answer = () => limiter.run(() => 'admitted').catch(String);
  await expect.poll(answer, { timeout: 5_000 }).toContain('version 99');
  await expect(store.stats({ name: 'versions' })).rejects.toMatchObject(refusal('version 99'));
  await declare(schema, 99, 1);
  await expect.poll(answer, { timeout: 5_000 }).toBe('admitted');
});

test('migrate() and each call name a missing column in their errors', async () => {
  const schema = await migrated();
  const { store, limiter } = start(schema);
  const columns = await database.rows(
    'SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = $1',
    [schema],
  );
  expect(columns).toHaveLength(31);
  // The migration adds the columns that earlier versions do not have.
  const original = columns.filter(
    ([, column]) => !/^(operated|declared|paused)/.test(String(column)),
  );
  for (const [table, column] of original) {
    const rename = `ALTER TABLE ${schema}.${table} RENAME COLUMN`;
    await database.rows(`${rename} ${column} TO gone`);
    await expect(store.migrate()).rejects.toMatchObject(refusal('42703', `${column}`));
    await database.rows(`${rename} gone TO ${column}`);
  }
  await database.rows(`ALTER TABLE ${schema}.limits DROP COLUMN longest`);
  await expect(limiter.acquire()).rejects.toMatchObject(refusal('42703', 'longest'));
});

test('migrate() upgrades tables of version 1 while they are in use, and keeps the permits', async () => {
  const schema = await migrated();
  const { store, limiter } = start(schema);
  const held = [await limiter.acquire(), await limiter.acquire()];
  await database.rows(`ALTER TABLE ${schema}.limits DROP COLUMN operated, DROP COLUMN declared,
    DROP COLUMN declared_before, DROP COLUMN paused`);
  await declare(schema, 1, 1);
  await store.migrate();
  expect(await database.ask(`SELECT ${schema}.version()`)).toEqual([4, 3]);
  expect(await store.stats({ name: 'versions' })).toMatchObject({ inflight: 2 });
  held[0]?.release();
  (await limiter.acquire()).release();
  expect(held[1]?.signal.aborted).toBe(false);
});

test('migrate() rejects no call and loses no permit while the store is in use', async () => {
  const schema = await migrated();
  const [one, two] = [start(schema), start(schema)];
  const held = await one.limiter.acquire();
  const work = Array.from({ length: 200 }, (_, i) => (i % 2 ? one : two).limiter.run(() => {}));
  for (let round = 0; round < 5; round++) await two.store.migrate();
  await Promise.all(work);
  expect(held.signal.aborted).toBe(false);
  held.release();
});
