import { postgresStore } from '@headgate/postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { addressOf } from '../src/address.ts';
import { fastPathStatements } from '../src/fast-path.sql.ts';
import { useDatabase } from './processes/database.ts';

const database = useDatabase();

/** What a process of version 1 of the tables sends about a limit of 2, and how it reads the answers. */
class EarlierProcess {
  /** The limit's version that it knows. */
  version: string | null = null;

  constructor(private readonly name: string) {}

  /** The state of one operation, and the number of permits granted to waiters; what follows is ignored. */
  async lease(verb: string, id: string): Promise<[state: string | undefined, grants: number]> {
    const { hash, label } = addressOf({ name: this.name });
    const [wait, place] = verb === 'acquire' ? ['5000000', '9'] : ['0', ''];
    const op = verb === 'setLimit' ? [verb, '', '0', '0', '0', '0', '', ''] : undefined;
    const words = op ?? [verb, id, '1', '0', '0', wait, place, ''];
    const values = [hash, label, '2', this.version, '10000000', 'old', words];
    const sql = 'SELECT headgate.lease($1, $2, $3, $4, $5, $6, $7)';
    const [row] = (await database.rows(sql, values)) as string[][];
    const lines = (row?.[0] ?? '').split('\n');
    expect(lines[0]).toBe('2');
    expect(lines[1]).toMatch(/^\d+$/);
    this.version = lines[1] as string;
    return [lines[5], Math.floor((lines.length - 9) / 2)];
  }

  /** Acquires by the plain UPDATE; returns whether it found the row. */
  async fastAcquire(id: string): Promise<boolean> {
    const { hash } = addressOf({ name: this.name });
    const { acquire } = fastPathStatements('headgate');
    const values = [hash, this.version, '1', id, '2', '10000000', '0', '0'];
    return (await database.rows(acquire, values)).length > 0;
  }
}

test('a process of an earlier release uses a limit that a newer one operates, and obeys', async () => {
  const store = postgresStore({ connect: database.server.url });
  onTestFinished(() => store.close());
  const name = 'operated';
  const old = new EarlierProcess(name);
  const operate = async (status: 'open' | 'paused' | 'drained') => {
    const ref = { name, limit: 2, version: old.version as string };
    const [answer] = await store.send([{ verb: 'declare', ref, change: { status } }], 5_000);
    return answer;
  };
  expect(await old.lease('acquire', 'old.1')).toEqual(['held', 0]);
  expect(await operate('paused')).toMatchObject({ inflight: 1, operated: { status: 'paused' } });
  expect(await old.fastAcquire('old.2')).toBe(false);
  expect(await old.lease('acquire', 'old.3')).toEqual(['queued', 0]);
  expect(await old.lease('setLimit', '')).toEqual(['ok', 0]);
  expect(await old.lease('renew', 'old.1')).toEqual(['held', 0]);
  expect(await old.lease('release', 'old.1')).toEqual(['ok', 0]);
  expect(await operate('drained')).toMatchObject({ inflight: 0, queued: 1 });
  expect(await old.lease('acquire', 'old.4')).toEqual(['full', 0]);
  expect(await old.lease('release', 'old.3')).toEqual(['ok', 0]);
  expect(await operate('open')).toMatchObject({ inflight: 0, queued: 0 });
  expect(await old.fastAcquire('old.5')).toBe(true);
  expect(await store.stats({ name })).toMatchObject({ inflight: 1, processes: 1 });
});

test('expired leases that were counted while a limit is paused are reported once', async () => {
  const short = postgresStore({ connect: database.server.url, leaseDuration: 1_500 });
  const store = postgresStore({ connect: database.server.url });
  onTestFinished(async () => {
    await short.close();
    await store.close();
  });
  // On a busy machine, the first call takes longer than the timeout.
  await vi.waitFor(() => short.stats({ name: 'counted' }), 10_000);
  const ref = { name: 'counted', limit: 2, version: '' };
  const terms = { weight: 1, resized: false, extraTokens: 0, reserves: false };
  const lease = { ref, id: `${short.owner}.1`, ...terms, wait: 0, queueLimit: 0 };
  const [held] = await short.send([{ verb: 'acquire', lease }], 5_000);
  expect(held).toMatchObject({ state: 'held' });
  const change = { status: 'paused' } as const;
  await store.send([{ verb: 'declare', ref, change }], 5_000);
  const { hash, label } = addressOf(ref);
  const reclaimed = async () => {
    await database.rows(`SELECT headgate.lease($1, $2, 0, 0, 0, 'old', '{}')`, [hash, label]);
    return database.ask('SELECT reclaimed FROM headgate.limits WHERE label = \'["counted"]\'');
  };
  await vi.waitFor(async () => expect(await reclaimed()).toBe('-2'), 10_000);
  const [first] = await store.send([{ verb: 'declare', ref }], 5_000);
  const [second] = await store.send([{ verb: 'declare', ref }], 5_000);
  expect([first, second]).toMatchObject([
    { reclaimed: 1, inflight: 0 },
    { reclaimed: 0, operated: { status: 'paused' } },
  ]);
});
