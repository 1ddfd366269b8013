import { type RedisCluster, type RedisServer, startCluster } from '@headgate/test-servers';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Held, type RemoteLimiter, useWorkers } from './workers.ts';

const workers = useWorkers(6);
let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await startCluster();
}, 40_000);
afterAll(() => cluster.stop());

function start(options: { limit: number; name?: string; perKey?: boolean }) {
  return workers.start(2, cluster.nodes, options) as Promise<[RemoteLimiter, RemoteLimiter]>;
}

/** Resolves when all nodes agree on the slot's owner: only then can it be moved again. */
async function agreed(slot: number, owner: RedisServer): Promise<void> {
  const sees = async ({ port }: RedisServer) => {
    const node = new Redis(port, '127.0.0.1');
    const ranges = (await node.call('CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
    node.disconnect();
    const range = ranges.find(([from, to]) => slot >= from && slot <= to);
    expect(range?.[2][1]).toBe(owner.port);
  };
  await vi.waitFor(() => Promise.all(cluster.nodes.map(sees)), 10_000);
}

test.concurrent('a limit is enforced over the processes of a cluster, on any node', async () => {
  const owners = new Set<number>();
  for (const name of ['a', 'b', 'c', 'd']) {
    const slot = await cluster.slotOf(`headgate:{${name}}`);
    owners.add((await cluster.ownerOf(slot)).port);
    const [one, two] = await start({ limit: 1, name });
    const held = await one.acquire();
    const waiting = [await two.wait(), await one.wait()];
    await held.release();
    await (await waiting[0]?.held)?.release();
    await waiting[1]?.held;
    expect(await two.do('stored')).toMatchObject({ inflight: 1, queued: 0 });
    // The next limit is used by the same processes.
    await workers.rest();
  }
  expect(owners.size).toBeGreaterThan(1);
});

test.concurrent('names and keys with braces, colons or "0" work in a cluster', async () => {
  const strange = [
    '0',
    '00',
    '10',
    '{',
    '}{',
    '{}',
    'a{b}c',
    '{a}{b}',
    '*',
    '%',
    '\n',
    ' ',
    '',
    'ü€😀',
  ];
  for (const name of ['0', '{}{limit 0}*']) {
    const [one, two] = await start({ limit: 1, name, perKey: true });
    const held: Held[] = [];
    for (const key of strange) held.push(await one.acquire({ key }));
    for (const key of strange) {
      expect(await two.do('stored', key)).toMatchObject({ inflight: 1, queued: 0 });
    }
    for (const [i, key] of strange.entries()) {
      const waiting = await two.wait({ key });
      await held[i]?.release();
      await (await waiting.held).release();
    }
    await workers.rest();
  }
});

test.concurrent('no caller is lost and no limit is exceeded when a slot moves under load', async () => {
  const name = 'moving';
  const [one, two] = await start({ limit: 2, name });
  const slot = await cluster.slotOf(`headgate:{${name}}`);
  const work = Promise.all([one.do('work', 6, 100), two.do('work', 6, 100)]);
  work.catch(() => {});
  for (let i = 0; i < 3; i++) {
    const owner = await cluster.ownerOf(slot);
    const next = cluster.nodes[(cluster.nodes.indexOf(owner) + 1) % 3] as typeof owner;
    await cluster.moveSlot(slot, next);
    await agreed(slot, next);
  }
  for (const most of await work) expect(most).toBeLessThanOrEqual(2);
  expect([...one.of('store'), ...two.of('store'), ...one.of('lost'), ...two.of('lost')]).toEqual(
    [],
  );
});
