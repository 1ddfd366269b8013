import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { redisKey } from '../src/key.ts';
import { library } from './clients.ts';
import { Participant } from './participant.ts';
import { useServer } from './server.ts';

const { server, admin } = await useServer();
const LEASE = 10_000;
const HOUR = 3_600_000;
let count = 0;
let name: string;
beforeEach(() => {
  name = `limit ${++count}`;
});

/** A limit of 2 with a living holder and a dead one, whose lease is from a clock that was an hour ahead. */
async function withFarEnd() {
  const one = new Participant(library('ioredis 6').connect(server.port), { leaseDuration: LEASE });
  onTestFinished(() => one.end());
  const id = one.id();
  await one.do('acquire', { name, limit: 2 });
  await one.do('acquire', { name, limit: 2, id });
  const key = redisKey('headgate:', { name });
  const prolong = async () => {
    await admin.zadd(key, Date.now() + HOUR, `h1:0:${id}`);
  };
  const left = async () => Number(await admin.zscore(key, `h1:0:${id}`)) - Date.now();
  await prolong();
  return { one, prolong, left };
}

test.each([0, 5_000])(
  'a caller with a wait of %i ms that finds a limit full lowers an impossible end',
  async (wait) => {
    const { one, left } = await withFarEnd();
    await one.do('acquire', { name, limit: 2, wait });
    expect(await left()).toBeLessThanOrEqual(LEASE);
    expect(await left()).toBeGreaterThan(LEASE / 2);
  },
);

test('an impossible end is lowered when a waiter expires, even if there are always waiters', async () => {
  const { one, prolong, left } = await withFarEnd();
  await one.do('acquire', { name, limit: 2, wait: 50 });
  await one.do('acquire', { name, limit: 2, wait: 5_000 });
  await prolong();
  expect(await left()).toBeGreaterThan(LEASE);
  await sleep(100);
  await one.do('declare', { name, limit: 2 });
  expect(await left()).toBeLessThanOrEqual(LEASE);
});
