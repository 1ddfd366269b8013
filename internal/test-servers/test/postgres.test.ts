import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type PostgresServer, startPgBouncer, startPostgres } from '@headgate/test-servers';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { gone } from './gone.ts';

let server: PostgresServer;
const undo: (() => unknown)[] = [];
beforeAll(async () => {
  server = await startPostgres({ settings: { work_mem: '5MB' } });
}, 30_000);
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});
afterAll(() => server.stop());

async function connect(url = server.url): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  undo.push(() => client.end());
  return client;
}

async function ask(sql: string, url?: string): Promise<unknown> {
  const client = await connect(url);
  const { rows } = await client.query({ text: sql, rowMode: 'array' });
  return rows[0]?.[0];
}

test('a server keeps its data over a restart and a crash', async () => {
  await ask('CREATE TABLE kept AS SELECT 1 AS one');
  const { pid } = server;
  await server.restart();
  expect(server.pid).not.toBe(pid);
  expect(await ask('SELECT one FROM kept')).toBe(1);
  await server.crash();
  await expect(connect()).rejects.toThrow('ECONNREFUSED');
  await server.restart();
  expect(await ask('SELECT one FROM kept')).toBe(1);
  expect(await ask('SHOW work_mem')).toBe('5MB');
});

test('a frozen server responds after it is thawed, also on new connections', async () => {
  const client = await connect();
  server.freeze();
  const answers = [client.query('SELECT 1'), ask('SELECT 1')];
  const late = new Promise((resolve) => setTimeout(resolve, 50));
  expect(await Promise.race([...answers, late])).toBe(undefined);
  server.thaw();
  await Promise.all(answers);
});

test('a server waits for the disk if it is configured to', async () => {
  expect(await ask('SHOW fsync')).toBe('off');
  const careful = await startPostgres({ fsync: true });
  undo.push(() => careful.stop());
  expect(await ask('SHOW fsync', careful.url)).toBe('on');
}, 30_000);

test('a server that does not start reports an error', async () => {
  const settings = { no_such_setting: '1' };
  await expect(startPostgres({ settings })).rejects.toThrow('no_such_setting');
}, 30_000);

test('a server does not outlive the process that started it', async () => {
  const program = fileURLToPath(new URL('./starts-postgres.ts', import.meta.url));
  const args = ['--conditions=headgate-source', '--import=tsx', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const pid = Number(line);
  expect(gone(pid)).toBe(false);
  child.kill('SIGKILL');
  await vi.waitFor(() => expect(gone(pid)).toBe(true), 10_000);
}, 30_000);

test('PgBouncer assigns its connections per transaction', async () => {
  const bouncer = await startPgBouncer(server, { mode: 'transaction' });
  undo.push(() => bouncer.stop());
  const [one, two] = [await connect(bouncer.url), await connect(bouncer.url)];
  const pid = async (client: pg.Client) => {
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    return rows[0].pid;
  };
  expect(await pid(one)).toBe(await pid(two));
});
