// A nightly job that every instance starts but only one may run: a limit of 1 is a mutex, and a row records that the
// job is done.
import { setTimeout as work } from 'node:timers/promises';
import { createLimiter } from '@headgate/core';
import { postgresStore } from '@headgate/postgres';
import pg from 'pg';

const connect = process.env.DATABASE_URL ?? 'postgres://localhost/postgres';
const db = new pg.Client(connect);
await db.connect();
const store = postgresStore({ connect });
await store.migrate();

// The other instances wait and then find the job done, or do it themselves if the first one died.
const mutex = createLimiter({ name: 'nightly', limit: 1, queueLimit: 100, store });
const night = new Date().toISOString().slice(0, 10);

await mutex.run(
  async ({ signal, fencing }) => {
    await db.query('CREATE TABLE IF NOT EXISTS nights (night date PRIMARY KEY, token bigint)');
    const done = await db.query('SELECT FROM nights WHERE night = $1', [night]);
    if (done.rowCount !== 0) return console.log('was already done');
    await work(1_000, undefined, { signal }); // placeholder for the real work
    // An instance that was frozen for longer than its lease finds the row of its successor, and fails here.
    await db.query('INSERT INTO nights VALUES ($1, $2)', [night, fencing]);
    console.log('done');
  },
  { queueTimeout: 60_000 },
);

await mutex.close();
await store.close();
await db.end();
