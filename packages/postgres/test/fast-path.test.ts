import { type PostgresStore, postgresStore } from '@headgate/postgres';
import type {
  LeaseRequest,
  LeaseVerb,
  LimitRef,
  OperatedChange,
  OperatedState,
  Reply,
} from '@headgate/store-kit';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { fastPathStatements } from '../src/fast-path.sql.ts';
import { useDatabase } from './processes/database.ts';
import { clockOptions, elapse, stopClock } from './virtual-clock.ts';

// Cases in which the fast path is likely to succeed, but must not: each process has seen its limit idle before.

const database = useDatabase(clockOptions, stopClock);
let name: string;
let count = 0;
beforeEach(() => {
  name = `quick ${++count}`;
});

type LeaseOptions = Partial<LeaseRequest>;

class Participant {
  readonly recalled: (string | undefined)[] = [];
  readonly granted: string[] = [];
  #ref: LimitRef;

  constructor(
    readonly store: PostgresStore,
    limit: number,
  ) {
    this.#ref = { name, limit, version: '' };
    onTestFinished(() => this.store.close());
    store.listen({
      grant: ({ id }) => this.granted.push(id),
      recall: ({ name }) => this.recalled.push(name),
      check: () => {},
      state: () => {},
    });
  }

  async do(verb: LeaseVerb, id: string, options: LeaseOptions = {}): Promise<Reply> {
    const usual = {
      weight: 1,
      resized: false,
      wait: 0,
      queueLimit: 9,
      extraTokens: 0,
      reserves: false,
    };
    const lease = { ref: this.#ref, id: `${this.store.owner}.${id}`, ...usual, ...options };
    const [reply] = (await this.store.send([{ verb, lease }], this.store.timeout)) as [Reply];
    expect(reply).not.toHaveProperty('error');
    const { limit, version } = reply;
    if (version !== this.#ref.version) this.#ref = { name, limit, version };
    return reply;
  }

  async declare(limit: number): Promise<void> {
    await this.store.send([{ verb: 'declare', ref: { name, limit, version: '' } }], 1_000);
  }

  async operate(change: OperatedChange): Promise<OperatedState | undefined> {
    const [reply] = await this.store.send([{ verb: 'declare', ref: this.#ref, change }], 1_000);
    return (reply as Reply).operated;
  }
}

/** A process that knows the limit, and knows it as idle. */
async function participant(limit: number, lease?: number): Promise<Participant> {
  const one = new Participant(
    postgresStore({ connect: database.url, leaseDuration: lease }),
    limit,
  );
  await vi.waitFor(() => one.store.stats({ name }), 5_000);
  await one.do('acquire', 'first');
  expect(await one.do('release', 'first')).toMatchObject({ state: 'ok', inflight: 0 });
  return one;
}

/** The number of leases in the limit's own row. */
function fresh(): Promise<unknown> {
  const label = `'${JSON.stringify([name])}'`;
  return database.ask(
    `SELECT count(*)::int FROM headgate.limits AS l, jsonb_object_keys(l.fresh) WHERE label = ${label}`,
  );
}

test('a release grants the permit to a waiter that was just queued', async () => {
  const [one, two] = [await participant(1), await participant(1)];
  await one.do('acquire', 'a');
  expect(await fresh()).toBe(1);
  expect(await two.do('acquire', 'b', { wait: 9_000 })).toMatchObject({ state: 'queued' });
  expect(await one.do('release', 'a')).toMatchObject({ state: 'ok', inflight: 1 });
  expect(await two.do('stay', 'b', { wait: 9_000 })).toMatchObject({ state: 'held' });
});

test('a waiter that was just queued is not overtaken', async () => {
  const [one, two] = [await participant(3), await participant(3)];
  await one.do('acquire', 'a', { weight: 2 });
  const waiting = { weight: 2, wait: 9_000 };
  expect(await two.do('acquire', 'b', waiting)).toMatchObject({ state: 'queued' });
  expect(await one.do('acquire', 'c')).toMatchObject({ state: 'full', inflight: 2, queued: 1 });
});

test('the fast path detects a limit that is full or has changed meanwhile', async () => {
  const [one, two] = [await participant(1), await participant(1)];
  await two.do('acquire', 'a');
  expect(await one.do('acquire', 'b')).toMatchObject({ state: 'full', inflight: 1 });
  await two.do('release', 'a');
  await one.do('release', 'none');
  await one.do('acquire', 'c');
  expect(await fresh()).toBe(1);
  await two.declare(5);
  expect(await one.do('release', 'c')).toMatchObject({ state: 'ok', limit: 5 });
  await two.declare(6);
  expect(await one.do('acquire', 'd')).toMatchObject({ state: 'held', limit: 6 });
});

/** Milliseconds. */
const SHORT_LEASE = 3_000;
const expiry = () => elapse(database, SHORT_LEASE + 20);

test('the fast path detects and reports expired leases', async () => {
  const [one, short] = [await participant(2), await participant(2, SHORT_LEASE)];
  await expiry();
  // According to the row, no lease expires before this one.
  await one.do('renew', 'none');
  await one.do('acquire', 'a');
  await short.do('acquire', 'b');
  expect(await fresh()).toBe(2);
  await expiry();
  expect(await one.do('acquire', 'c')).toMatchObject({ state: 'held', inflight: 2, reclaimed: 1 });
  expect(await short.do('release', 'b')).toMatchObject({ state: 'lost', inflight: 2 });
});

test('an expired lease cannot be released', async () => {
  const short = await participant(1, SHORT_LEASE);
  await short.do('acquire', 'a');
  await expiry();
  expect(await short.do('release', 'a')).toMatchObject({ state: 'lost', inflight: 0 });
});

test('a lease that expired while there were no operations is reported', async () => {
  const one = await participant(1);
  const sql = `UPDATE headgate.limits SET reclaimed = 3 WHERE label = $1`;
  await database.rows(sql, [JSON.stringify([name])]);
  expect(await one.do('acquire', 'a')).toMatchObject({ state: 'held', reclaimed: 3 });
});

test('permits in reserve are recalled', async () => {
  const [one, two] = [await participant(1), await participant(1)];
  await one.do('acquire', 'a', { reserves: true });
  expect(await fresh()).toBe(1);
  await two.do('acquire', 'b', { wait: 9_000 });
  await vi.waitFor(() => expect(one.recalled).toEqual([name]), 5_000);
});

test("tokens leave room for a permit's hand-offs, even if its lease is moved", async () => {
  const one = await participant(9);
  // More tokens than the clock has microseconds.
  const spare = 1e12;
  const tokens: bigint[] = [];
  for (const id of ['a', 'b', 'c']) {
    tokens.push((await one.do('acquire', id, { extraTokens: spare })).fencing as bigint);
  }
  const [a = 0n, b = 0n, c = 0n] = tokens;
  expect(b).toBeGreaterThan(a + BigInt(spare));
  expect(c).toBeGreaterThan(b + BigInt(spare));
  expect(await one.do('renew', 'a', { extraTokens: spare, fencing: a })).toMatchObject({
    fencing: a,
  });
  expect(await one.do('acquire', 'b', { extraTokens: spare })).toMatchObject({
    fencing: b,
    inflight: 3,
  });
  expect(await fresh()).toBe(1);
});

test('a release returns the weight that was acquired', async () => {
  const one = await participant(9);
  await one.do('acquire', 'a', { weight: 2 });
  expect(await fresh()).toBe(1);
  expect(await one.store.stats({ name })).toMatchObject({ inflight: 2, holders: 1 });
  expect(await one.do('release', 'a', { weight: 5 })).toMatchObject({ state: 'ok', inflight: 0 });
  expect(await one.do('release', 'a')).toMatchObject({ state: 'lost', inflight: 0 });
});

test('a row contains a few leases, each once, and its limit is not removed meanwhile', async () => {
  const one = await participant(99);
  const label = JSON.stringify([name]);
  await database.rows('UPDATE headgate.limits SET touched = 0 WHERE label = $1', [label]);
  const sql = 'SELECT address, version, touched FROM headgate.limits WHERE label = $1';
  const [[address, version] = []] = await database.rows(sql, [label]);
  const { acquire } = fastPathStatements('headgate');
  const take = async (id: string) =>
    (await database.rows(acquire, [address, version, '1', id, '99', '9000000', '0', '0'])).length;
  expect(await take('same')).toBe(1);
  expect(await take('same')).toBe(0);
  const touched = (await database.rows(sql, [label]))[0]?.[2];
  expect(Number(touched)).toBeGreaterThan(0);
  // Simulates a process that does not remember the lease.
  await one.do('register', 'known');
  expect(await take(`${one.store.owner}.known`)).toBe(1);
  expect(await one.do('renew', 'known')).toMatchObject({ state: 'held', inflight: 2 });
  for (let i = 0; i < 40; i++) await take(`${one.store.owner}.${i}`);
  expect(await fresh()).toBeLessThan(20);
});

test('an answer contains the time of the last operation even if the limit is open again', async () => {
  const one = await participant(2);
  const other = await participant(2);
  await other.operate({ status: 'paused' });
  const operated = await other.operate({ status: 'open' });
  expect(await one.do('acquire', 'a')).toMatchObject({ state: 'held', operated });
  expect(await fresh()).toBe(1);
  await other.operate({ mode: 'shadow' });
  const later = await other.operate({ mode: 'enforce' });
  expect(await one.do('release', 'a')).toMatchObject({ state: 'ok', operated: later });
});
