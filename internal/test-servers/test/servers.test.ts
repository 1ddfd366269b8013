import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as net from 'node:net';
import { fileURLToPath } from 'node:url';
import { startCluster, startProxy, startRedis, startReplica } from '@headgate/test-servers';
import { Redis } from 'ioredis';
import { afterEach, expect, test, vi } from 'vitest';
import { gone } from './gone.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function connect({ port }: { port: number }, options = {}): Redis {
  const client = new Redis({ port, retryStrategy: () => 20, ...options });
  client.on('error', () => {});
  undo.push(() => client.disconnect());
  return client;
}

async function server(args: readonly string[] = []) {
  const redis = await startRedis({ args });
  undo.push(() => redis.stop());
  return redis;
}

test('a server responds, and has no data after a restart on the same port', async () => {
  const redis = await server();
  const client = connect(redis);
  await client.set('a', 1);
  const { pid } = redis;
  await redis.restart();
  expect(redis.pid).not.toBe(pid);
  expect(await client.get('a')).toBe(null);
});

test('a frozen server responds after it is thawed', async () => {
  const redis = await server();
  const client = connect(redis);
  await client.ping();
  redis.freeze();
  const pong = client.ping();
  expect(await Promise.race([pong, new Promise((resolve) => setTimeout(resolve, 50))])).toBe(
    undefined,
  );
  redis.thaw();
  expect(await pong).toBe('PONG');
});

test('a server receives its arguments', async () => {
  const client = connect(await server(['--maxmemory', '3mb']));
  expect(await client.config('GET', 'maxmemory')).toEqual(['maxmemory', '3145728']);
});

test('a server that does not start reports an error', async () => {
  await expect(startRedis({ args: ['--no-such-option', '1'] })).rejects.toThrow('no-such-option');
});

test('a server ends with the process that started it, however that ends', async () => {
  const program = fileURLToPath(new URL('./starts-redis.ts', import.meta.url));
  const args = ['--conditions=headgate-source', '--import=tsx', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const pid = Number(line);
  expect(gone(pid)).toBe(false);
  child.kill('SIGKILL');
  await vi.waitFor(() => expect(gone(pid)).toBe(true), 5_000);
});

test("a replica has the master's data and rejects writes", async () => {
  const master = await server();
  await connect(master).set('a', 1);
  const replica = await startReplica(master);
  undo.push(() => replica.stop());
  const client = connect(replica);
  expect(await client.get('a')).toBe('1');
  await expect(client.set('a', 2)).rejects.toThrow('READONLY');
});

test('a slot of a cluster moves with its keys, in steps', async () => {
  const cluster = await startCluster();
  undo.push(() => cluster.stop());
  const slot = await cluster.slotOf('a');
  const from = await cluster.ownerOf(slot);
  const to = cluster.nodes.find((node) => node !== from) as typeof from;
  const client = connect(from);
  await client.set('a', 1);
  const move = await cluster.startMove(slot, to);
  expect(await client.get('a')).toBe('1');
  await move.migrate();
  await expect(client.get('a')).rejects.toThrow(`ASK ${slot}`);
  await move.finish();
  await expect(client.get('a')).rejects.toThrow(`MOVED ${slot}`);
  expect(await connect(to).get('a')).toBe('1');
}, 30_000);

test('a proxy counts requests, even if they arrive in many parts, and connections', async () => {
  const proxy = await startProxy(await server());
  undo.push(() => proxy.stop());
  const client = connect(proxy, { enableReadyCheck: false, disableClientInfo: true });
  await client.ping();
  const before = proxy.commands;
  await Promise.all([client.set('*1\r\n$1\r\n', 'x'.repeat(300_000)), client.get('a')]);
  expect(proxy.commands - before).toBe(2);
  expect(proxy.connections).toBe(1);
});

test('a proxy passes data that is not a Redis request', async () => {
  const redis = await server();
  const proxy = await startProxy(redis);
  undo.push(() => proxy.stop());
  const socket = net.connect(proxy.port, '127.0.0.1');
  undo.push(async () => void socket.destroy());
  socket.on('error', () => {});
  socket.write('*1\r\n$$ LANGUAGE sql\r\n');
  // Redis responds that it is invalid.
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^-ERR/);
});

test('connections of a proxy can have different latencies, so that one overtakes another', async () => {
  const proxy = await startProxy(await server());
  undo.push(() => proxy.stop());
  const slow = connect(proxy);
  await slow.ping();
  const fast = connect(proxy);
  await fast.ping();
  const latencies = [60_000, 0];
  proxy.delayEach(() => latencies.shift() ?? 0);
  const late = slow.ping().then(
    () => 'slow',
    () => 'the test has ended',
  );
  expect(await Promise.race([late, fast.ping().then(() => 'fast')])).toBe('fast');
});

test('a proxy cuts, refuses, delays and holds back data', async () => {
  const proxy = await startProxy(await server());
  undo.push(() => proxy.stop());
  const client = connect(proxy);
  await client.ping();
  proxy.delay(30);
  const started = performance.now();
  await client.ping();
  expect(performance.now() - started).toBeGreaterThan(59);
  proxy.delay(0);

  proxy.hold(true);
  const pong = client.ping();
  const first = await Promise.race([pong, new Promise((resolve) => setTimeout(resolve, 50))]);
  expect(first).toBe(undefined);
  proxy.hold(false);
  expect(await pong).toBe('PONG');

  proxy.refuse(true);
  let closed = 0;
  client.on('close', () => {
    closed += 1;
  });
  proxy.cut();
  await vi.waitFor(() => expect(closed).toBeGreaterThan(1), 5_000);
  expect(proxy.connections).toBe(0);
  proxy.refuse(false);
  expect(await client.ping()).toBe('PONG');
});

test('a proxy can hold back, or end at the server, only connections whose clients have sent a given text', async () => {
  const proxy = await startProxy(await server());
  undo.push(() => proxy.stop());
  const [marked, other] = [connect(proxy), connect(proxy)];
  await marked.set('marked', 1);
  await other.ping();
  expect(proxy.holdOnly('MARKED')).toBe(1);
  const silence = new Promise((resolve) => setTimeout(resolve, 50));
  expect(await Promise.race([marked.ping(), silence])).toBe(undefined);
  expect(await other.ping()).toBe('PONG');
  expect(proxy.endAtServer('marked')).toBe(1);
  expect(proxy.endAtServer('marked')).toBe(0);
  expect([marked.status, await other.ping()]).toEqual(['ready', 'PONG']);
  const reset = proxy.holdOne((count) => count - 1);
  const pong = other.ping();
  expect(await Promise.race([pong, new Promise((resolve) => setTimeout(resolve, 50))])).toBe(
    undefined,
  );
  reset();
  // The client sends its request again on its next connection.
  expect(await pong).toBe('PONG');
});
