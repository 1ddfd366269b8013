import type { OperatedState } from '@headgate/store-kit';
import { afterEach, expect, test } from 'vitest';
import { library } from './clients.ts';
import { Participant } from './participant.ts';
import { useServer } from './server.ts';

const { server: redis, admin } = await useServer();
const participants: Participant[] = [];
afterEach(async () => {
  for (const one of participants.splice(0)) await one.end();
  await admin.flushall();
});

function participant(): Participant {
  const made = new Participant(library('ioredis 6').connect(redis.port));
  participants.push(made);
  return made;
}

const name = 'x';
const key = 'headgate:{x}';
const paused = { status: 'paused', mode: 'enforce' };

/** The head of the limit, and the member that tells how it is operated, with its score. */
async function stored(): Promise<[head: Buffer, operated: string, score: number]> {
  const [head] = await admin.zrangeBuffer(key, '0', '0');
  const [operated = '', score] = await admin.zrangebyscore(key, '9e14', '(1e15', 'WITHSCORES');
  return [head as Buffer, operated, Number(score)];
}

test('the head of a set has at most 64 bytes, so that Redis stores a small set compactly', async () => {
  const one = participant();
  await one.do('acquire', { name });
  const { version, operated } = await one.do('declare', { name, change: { status: 'paused' } });
  const [head, member, score] = await stored();
  expect([head.length, head.subarray(0, 1).toString(), member]).toEqual([64, 'o', 'o1']);
  // Little-endian: the limit in bytes 1 to 5, its version in the next six, the weight held from byte 29 on.
  expect(head.readUIntLE(1, 5)).toBe(1);
  expect(head.readUIntLE(6, 6)).toBe(Number(version));
  expect(head.readUIntLE(29, 6)).toBe(1);
  expect(score).toBe(9e14 + Number(operated?.version));
  await one.do('declare', { name, change: { status: 'open', mode: 'shadow' } });
  expect(await admin.zcount(key, '9e14', '(1e15')).toBe(1);
  expect((await stored())[1]).toBe('o4');
});

test('a set without the `operated` flag does not undo the state that a process knows', async () => {
  const one = participant();
  const { operated } = await one.do('declare', { name, change: { status: 'paused' } });
  const [head] = await stored();
  const without = Buffer.from(head);
  without.write('m');
  await admin.zrem(key, head);
  await admin.zadd(key, -1, without);
  expect(await one.do('acquire', { name, operated })).toMatchObject({
    ...{ state: 'full', operated },
  });
  expect((await stored())[1]).toBe('o1');
});

test.each(['o3', 'o7', 'o', 'o1x', 'x1', ''])('the member "%s" is ignored', async (member) => {
  const one = participant();
  await one.do('declare', { name, change: { status: 'rejecting' } });
  await admin.zremrangebyscore(key, '9e14', '(1e15');
  await admin.zadd(key, 9.5e14, member);
  expect(await one.do('acquire', { name })).toMatchObject({ state: 'held', inflight: 1 });
  expect((await one.store.stats({ name })).queued).toBe(0);
  const { operated } = await one.do('declare', { name, change: { status: 'paused' } });
  expect(operated).toMatchObject(paused);
  expect((await stored())[1]).toBe('o1');
});

test.each(['', 'soon', '-1', '1e3', '9 9', '12\n3'])(
  'the version "%s" of a process is ignored',
  async (version) => {
    const one = participant();
    const operated: OperatedState = { status: 'rejecting', mode: 'enforce', version };
    const { state, operated: known } = await one.do('acquire', { name, operated });
    expect([state, known]).toEqual(['held', undefined]);
  },
);

test('a paused limit is forgotten after two unused lease durations, like any other', async () => {
  const one = participant();
  await one.do('declare', { name, change: { status: 'paused' } });
  const left = await admin.pttl(key);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(2 * one.store.leaseDuration);
});
