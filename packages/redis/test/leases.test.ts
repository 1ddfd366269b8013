import { type RedisServer, startRedis } from '@headgate/test-servers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { libraries } from './clients.ts';
import { Party } from './party.ts';

let redis: RedisServer;
let name: string;
let count = 0;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

describe.each(libraries)('$name', ({ connect }) => {
  const parties: Party[] = [];
  const party = (options = {}) => {
    const made = new Party(connect(redis.port), options);
    parties.push(made);
    return made;
  };
  beforeEach(() => {
    name = `limit ${++count}`;
  });
  afterEach(async () => {
    for (const one of parties.splice(0)) await one.end();
  });

  test('a permit goes to the head of the line, in another process', async () => {
    const [one, two] = [party(), party()];
    await two.listening();
    const [a, b, c] = [one.id(), two.id(), one.id()];
    const first = await one.do('acquire', { name, id: a, wait: 5_000 });
    expect(first).toMatchObject({ state: 'held', inflight: 1, queued: 0, limit: 1 });
    const second = await two.do('acquire', { name, id: b, wait: 5_000 });
    expect(second).toMatchObject({ state: 'queued', inflight: 1, queued: 1 });
    const third = await one.do('acquire', { name, id: c, wait: 5_000 });
    expect(third.state).toBe('queued');
    expect(String(third.place) > String(second.place)).toBe(true);
    expect(await one.do('release', { name, id: a })).toMatchObject({ state: 'ok', queued: 1 });
    const grant = await two.granted(b);
    expect(grant.fencing).toBeGreaterThan(first.fencing as bigint);
    await two.do('release', { name, id: b });
    expect((await one.granted(c)).fencing).toBeGreaterThan(grant.fencing as bigint);
  });
});
