import { expect, it } from 'vitest';
import { scene } from '../scene.ts';
import { acquire } from '../use-limits.ts';

it('the gauges of each semaphore add up the counts', async () => {
  const { client, clock } = await scene({ A: 5, B: 0 });
  const [holder, first, second] = await client.newPeers(3);
  await client.acquire(holder, 'A', 4);
  await client.acquire(first, 'A', 3);
  clock.advance(1_500);
  await client.acquire(second, 'A', 2);
  clock.advance(1_400);
  const metrics = await client.ask('GET', '/metrics');
  expect(metrics.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  const samples = metrics.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(samples.sort()).toEqual([
    'throttle_acquired{semaphore="A"} 4',
    'throttle_acquired{semaphore="B"} 0',
    'throttle_longest_pending_sec{semaphore="A"} 2',
    'throttle_longest_pending_sec{semaphore="B"} 0',
    'throttle_max{semaphore="A"} 5',
    'throttle_max{semaphore="B"} 0',
    'throttle_num_404 0',
    'throttle_pending{semaphore="A"} 5',
    'throttle_pending{semaphore="B"} 0',
  ]);
  const types = metrics.text.split('\n').filter((line) => line.startsWith('# TYPE'));
  expect(types.sort()).toEqual([
    '# TYPE headgate_service_inflight gauge',
    '# TYPE headgate_service_limit gauge',
    '# TYPE headgate_service_longest_wait_seconds gauge',
    '# TYPE headgate_service_queued gauge',
    '# TYPE throttle_acquired gauge',
    '# TYPE throttle_longest_pending_sec gauge',
    '# TYPE throttle_max gauge',
    '# TYPE throttle_num_404 counter',
    '# TYPE throttle_pending gauge',
  ]);
});

it('the gauges follow releases, and expired peers no longer count', async () => {
  const { client, clock, server } = await scene({ A: 1 });
  const [holder, first] = [await client.newPeer('10s'), await client.newPeer('10s')];
  await client.acquire(holder, 'A');
  await client.acquire(first, 'A');
  clock.advance(10_000);
  server.configure({ C: 2 });
  const { text } = await client.ask('GET', '/metrics');
  expect(text).not.toContain('semaphore="A"');
  expect(text).toContain('throttle_max{semaphore="C"} 2\n');
});

it('throttle_num_404 counts only GET requests to unknown paths', async () => {
  const { client } = await scene({});
  await client.ask('GET', '/nothing');
  await client.ask('GET', '/peers');
  await client.ask('POST', '/nothing');
  await client.ask('HEAD', '/nothing');
  // A known path with another method.
  await client.ask('GET', '/new_peer');
  const { text } = await client.ask('GET', '/metrics');
  expect(text).toContain('throttle_num_404 2\n');
});

it('the gauges of each limit add up its keys, and name none of them', async () => {
  const { client, clock } = await scene({});
  await acquire(client, [
    { name: 'pdf', limit: 3 },
    { name: 'pdf', limit: 3, weight: 2 },
    { name: 'pdf', limit: 3 },
    { name: 'user', key: 'secret-1', limit: 2 },
    { name: 'user', key: 'secret-2', limit: 2, weight: 2 },
    { name: 'user', key: 'secret-2', limit: 2 },
  ]);
  clock.advance(1_500);
  const { text } = await client.ask('GET', '/metrics');
  expect(
    text
      .split('\n')
      .filter((line) => line.startsWith('headgate'))
      .sort(),
  ).toEqual([
    'headgate_service_inflight{headgate_limit_name="pdf"} 3',
    'headgate_service_inflight{headgate_limit_name="user"} 3',
    'headgate_service_limit{headgate_limit_name="pdf"} 3',
    'headgate_service_limit{headgate_limit_name="user"} 2',
    'headgate_service_longest_wait_seconds{headgate_limit_name="pdf"} 1.5',
    'headgate_service_longest_wait_seconds{headgate_limit_name="user"} 1.5',
    'headgate_service_queued{headgate_limit_name="pdf"} 1',
    'headgate_service_queued{headgate_limit_name="user"} 1',
  ]);
  expect(text).not.toContain('secret');
  clock.advance(30_000);
  const later = await client.ask('GET', '/metrics');
  expect(later.text).not.toContain('pdf');
});

it('the gauges show at most 100 limits, since clients choose the names', async () => {
  const { client } = await scene({});
  await acquire(
    client,
    Array.from({ length: 120 }, (_, i) => ({ name: `limit ${i}`, limit: 1 })),
  );
  const { text } = await client.ask('GET', '/metrics');
  expect(text.match(/^headgate_service_limit\{/gm)).toHaveLength(100);
});
