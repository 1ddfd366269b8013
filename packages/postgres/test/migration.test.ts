import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { postgresStore } from '@headgate/postgres';
import { bundle, type PostgresServer, startPostgres } from '@headgate/test-servers';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limitOf, requestOf } from './request.ts';

let server: PostgresServer;
let admin: pg.Client;
beforeAll(async () => {
  server = await startPostgres();
  admin = new pg.Client(server.url);
  await admin.connect();
}, 30_000);
afterAll(async () => {
  await admin.end();
  await server.stop();
});

const command = new URL('../src/print-sql.ts', import.meta.url);

async function run(program: URL, ...args: string[]) {
  const child = spawn(process.execPath, [await bundle(program), ...args]);
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, out, err };
}

function storeIn(schema?: string) {
  return postgresStore({ connect: server.url, schema });
}

async function works(schema?: string): Promise<void> {
  const store = storeIn(schema);
  const lease = requestOf(store, limitOf('any'));
  expect(await store.send([{ verb: 'acquire', lease }], 1_000)).toMatchObject([{ state: 'held' }]);
  expect(await store.send([{ verb: 'release', lease }], 1_000)).toMatchObject([{ state: 'ok' }]);
  await store.close();
}

async function tablesOf(schema: string): Promise<string[]> {
  const sql = 'SELECT table_name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1';
  return (await admin.query(sql, [schema])).rows.map(({ table_name }) => table_name);
}

test('the error for a store without tables explains how to create them', async () => {
  const store = storeIn('not there');
  const op = { verb: 'declare', ref: limitOf('any') } as const;
  const [answer] = await store.send([op], 1_000);
  const error = {
    code: 'ERR_HEADGATE_STORE_REFUSED',
    message: expect.stringContaining('await store.migrate()'),
  };
  expect(answer).toMatchObject({ error });
  await expect(store.stats({ name: 'any' })).rejects.toMatchObject(error);
  await store.close();
});

test('the migration can run repeatedly and keeps existing data', async () => {
  await storeIn().migrate();
  await works();
  const before = await admin.query('SELECT * FROM headgate.limits');
  await storeIn().migrate();
  expect((await admin.query('SELECT * FROM headgate.limits')).rows).toEqual(before.rows);
  await works();
  expect(await tablesOf('headgate')).toEqual(['leases', 'limits', 'members']);
});

test('the migration converts the counts of tables that have a CHECK constraint', async () => {
  const schema = 'constrained';
  await storeIn(schema).migrate();
  await works(schema);
  await admin.query(`
    ALTER TABLE ${schema}.limits ALTER inflight TYPE bigint, ALTER queued TYPE bigint,
      ADD CONSTRAINT limits_check CHECK (inflight >= 0 AND queued >= 0);
    DROP DOMAIN ${schema}.non_negative;
  `);
  const before = await admin.query(`SELECT * FROM ${schema}.limits`);
  expect(before.rows).not.toEqual([]);
  await storeIn(schema).migrate();
  expect((await admin.query(`SELECT * FROM ${schema}.limits`)).rows).toEqual(before.rows);
  for (const column of ['inflight', 'queued']) {
    const change = admin.query(`UPDATE ${schema}.limits SET ${column} = -1`);
    await expect(change).rejects.toThrow('non_negative');
  }
  await works(schema);
});

test('a migration with nothing to do neither waits for a lock nor blocks operations', async () => {
  await storeIn().migrate();
  await admin.query('BEGIN');
  await admin.query('LOCK headgate.limits, headgate.leases IN ROW EXCLUSIVE MODE');
  await storeIn().migrate();
  await admin.query('ROLLBACK');
});

test('the migration can run from 20 processes at once', { timeout: 120_000 }, async () => {
  const program = new URL('./migrates.ts', import.meta.url);
  const runs = Array.from({ length: 20 }, () => run(program, server.url, 'twenty'));
  for (const { code, err } of await Promise.all(runs))
    expect({ code, err }).toEqual({ code: 0, err: '' });
  await works('twenty');
});

test('the printed SQL can run repeatedly, in a schema of any name', async () => {
  const schema = `it's "quoted"; $body$ \\ 日本`;
  const { code, out } = await run(command, '--schema', schema);
  expect(code).toBe(0);
  await admin.query(out);
  await admin.query(out);
  await works(schema);
  expect(await tablesOf(schema)).toEqual(['leases', 'limits', 'members']);
});

test("the migration does not depend on the role's settings", async () => {
  await admin.query(`
    CREATE ROLE hasty LOGIN SUPERUSER;
    ALTER ROLE hasty SET default_transaction_read_only = on;
    ALTER ROLE hasty SET statement_timeout = '300ms';
    ALTER ROLE hasty SET lock_timeout = '100ms';
    ALTER ROLE hasty SET default_transaction_isolation = 'repeatable read';
    -- Only newer servers have this parameter.
    DO $$ BEGIN
      IF current_setting('transaction_timeout', true) <> '' THEN
        ALTER ROLE hasty SET transaction_timeout = '300ms';
      END IF;
    END $$;
  `);
  await admin.query('BEGIN');
  await admin.query(`SELECT pg_advisory_xact_lock(hashtext('headgate'), hashtext('migration'))`);
  const connect = server.url.replace('postgres@', 'hasty@');
  const migrated = postgresStore({ connect, schema: 'hasty' }).migrate();
  migrated.catch(() => {});
  // Must elapse in real time: twice as long as any of the role's timeouts.
  await new Promise((resolve) => setTimeout(resolve, 600));
  // Another process holds the lock and migrates: its transaction begins and ends before the role's continues.
  const { out } = await run(command, '--schema', 'hasty');
  await admin.query(out.replace(/^BEGIN[^;]*;/, ''));
  await migrated;
  await works('hasty');
});

test('the command prints its usage', async () => {
  expect(await run(command, '--help')).toMatchObject({
    code: 0,
    out: expect.stringContaining('--schema'),
  });
  expect(await run(command, '--scheme')).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('usage'),
  });
  const { code, err, out } = await run(command, '--schema', '');
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain('schema');
});

test('everything except the migration works with a role that may only use the tables', async () => {
  await admin.query(`
    CREATE ROLE app LOGIN;
    GRANT USAGE ON SCHEMA headgate TO app;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA headgate TO app;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA headgate TO app;
  `);
  const connect = server.url.replace('postgres@', 'app@');
  const store = postgresStore({ connect });
  // Nothing needs to be migrated.
  await store.migrate();
  const missing = postgresStore({ connect, schema: 'missing' });
  await expect(missing.migrate()).rejects.toMatchObject({
    code: 'ERR_HEADGATE_STORE_REFUSED',
    message: expect.stringMatching(/42501 .*permission denied for database/),
  });
  await missing.close();
  const op = { verb: 'declare', ref: limitOf('of app') } as const;
  expect(await store.send([op], 1_000)).toMatchObject([{ state: 'ok' }]);
  await store.close();
});

test('a role that owns the schema can migrate without permission to create schemas', async () => {
  await admin.query('CREATE ROLE owner LOGIN; CREATE SCHEMA "own $1" AUTHORIZATION owner');
  const connect = server.url.replace('postgres@', 'owner@');
  const store = postgresStore({ connect, schema: 'own $1' });
  await store.migrate();
  await store.migrate();
  await store.close();
  expect(await tablesOf('own $1')).toEqual(['leases', 'limits', 'members']);
});
