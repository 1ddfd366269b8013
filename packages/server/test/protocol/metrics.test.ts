import { expect, it } from 'vitest';
import { scene } from '../scene.ts';

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
