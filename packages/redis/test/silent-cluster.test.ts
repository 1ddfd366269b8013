import {
  type FaultyProxy,
  type RedisCluster,
  startCluster,
  startProxy,
} from '@headgate/test-servers';
import { Cluster } from 'ioredis';
import { Cluster as Cluster5 } from 'ioredis5';
import { createCluster } from 'redis';
import { createCluster as createCluster5 } from 'redis5';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { RedisClient } from '../src/client.ts';
import { Participant } from './participant.ts';

const host = '127.0.0.1';
let nodes: RedisCluster;
let proxies: FaultyProxy[];
beforeAll(async () => {
  nodes = await startCluster();
  proxies = await Promise.all(nodes.nodes.map((node) => startProxy(node)));
}, 40_000);
afterAll(async () => {
  for (const proxy of proxies) await proxy.stop();
  await nodes.stop();
});

/** The cluster's nodes, each behind a proxy. */
function addresses() {
  return Object.fromEntries(
    nodes.nodes.map(({ port }, i) => [
      `${host}:${port}`,
      { host, port: proxies[i]?.port as number },
    ]),
  );
}

function ofIoredis(make: typeof Cluster | typeof Cluster5) {
  const client = new make(
    proxies.map(({ port }) => ({ host, port })),
    { natMap: addresses() },
  );
  return { client: client as RedisClient, close: async () => client.disconnect() };
}

function ofNodeRedis(make: typeof createCluster | typeof createCluster5) {
  const rootNodes = proxies.map(({ port }) => ({ socket: { host, port } }));
  const client = (make as typeof createCluster)({ rootNodes, nodeAddressMap: addresses() });
  client.on('error', () => {});
  const opened = client.connect();
  return { client: client as RedisClient, opened, close: async () => client.destroy() };
}

test.each([
  ['ioredis 5', () => ofIoredis(Cluster5)],
  ['ioredis 6', () => ofIoredis(Cluster)],
  ['node-redis 5', () => ofNodeRedis(createCluster5)],
  ['node-redis 6', () => ofNodeRedis(createCluster)],
])('%s: a subscription at a node of a cluster that dies silently is replaced', async (_, make) => {
  const app = make();
  if ('opened' in app) await app.opened;
  const one = new Participant(app, { timeout: 200 });
  onTestFinished(() => one.end());
  await one.listening();
  const spec = { name: `limit of ${one.store.owner}` };
  const [held, waiting] = [one.id(), one.id()];
  await one.do('acquire', { ...spec, id: held });
  // One of the three nodes has the subscription.
  const found = proxies.map((proxy) => proxy.holdOnly('$9\r\nsubscribe'));
  expect(found.reduce((sum, count) => sum + count)).toBe(1);
  const { checks } = one;
  expect((await one.do('acquire', { ...spec, id: waiting, wait: 9_000 })).state).toBe('queued');
  await vi.waitFor(() => expect(one.checks).toBe(checks + 1), 5_000);
});
