import { expect, it, vi } from 'vitest';
import type { Client } from '../client.ts';
import { scene } from '../scene.ts';

const restore = (client: Client, id: string, acquired: object, expiresIn = '5m') =>
  client.said(
    'POST',
    '/restore',
    `{"expires_in":"${expiresIn}","peer_id":${id},"acquired":${JSON.stringify(acquired)}}`,
  );

it('a lock is free at the instant at which its peer expires', async () => {
  const { client } = await scene({ A: 1 });
  const [peer, next] = [await client.newPeer('3s'), await client.newPeer()];
  expect(await client.acquire(peer, 'A', 1, '?expires_in=0')).toBe(`200 ${peer}`);
  expect(await client.remainder('A')).toBe('200 1');
  expect(await client.acquire(next, 'A')).toBe(`200 ${next}`);
});

it('a request that finds an expired peer takes the expiry into account', async () => {
  const { server } = await scene({ A: 1 });
  const headers = { 'Content-Type': 'application/json' };
  const body = '{"expires_in":"0s"}';
  const made = await server.app.request('/new_peer', { method: 'POST', headers, body });
  const id = await made.text();
  expect(await (await server.app.request(`/peers/${id}/is_acquired`)).text()).toBe('Unknown peer');
});

it('a restore may exceed the full count, and ignores levels and pending locks', async () => {
  const { client } = await scene({ A: 2, B: { max: 1, level: 5 } });
  const [holder, waiter] = await client.newPeers(2);
  await client.acquire(holder, 'A', 2);
  await client.acquire(waiter, 'A', 1);
  expect(await restore(client, '42', { A: 3, B: 4 })).toBe('200 Ok');
  expect(await client.remainder('A')).toBe('200 -3');
  expect(await client.remainder('B')).toBe('200 -3');
  // Pending locks wait until enough has been released.
  await client.said('DELETE', `/peers/${holder}`);
  expect(await client.said('GET', `/peers/${waiter}/is_acquired`)).toBe('200 false');
  expect(await client.remainder('A')).toBe('200 -1');
  await client.said('DELETE', '/peers/42/A');
  expect(await client.said('GET', `/peers/${waiter}/is_acquired`)).toBe('200 true');
});

it('a restore without locks creates a peer with the given id', async () => {
  const { client } = await scene({ A: 2 });
  expect(await restore(client, '42', {})).toBe('200 Ok');
  expect(await client.acquire('42', 'A')).toBe('200 42');
});

it('a refused restore changes nothing', async () => {
  const { client } = await scene({ A: 2, B: 2 });
  expect(await restore(client, '42', { A: 1, Z: 1 })).toBe('400 Unknown semaphore');
  expect(await restore(client, '42', { A: 1, B: 0 })).toBe(
    '400 Lock count must be a positive number. Found: 0.',
  );
  expect(await restore(client, '42', { A: -1, Z: 1 })).toBe('400 Unknown semaphore');
  expect(await client.said('GET', '/peers/')).toBe('200 []');
  expect(await client.remainder('A')).toBe('200 2');
});

it('restoring an existing peer requires the same locks and none pending', async () => {
  const { client } = await scene({ A: { max: 3, level: 1 }, B: 1 });
  const [peer, holder] = await client.newPeers(2);
  await client.acquire(peer, 'A', 2);
  expect(await restore(client, peer, { A: 2 })).toBe('200 Ok');
  expect(await client.remainder('A')).toBe('200 1');
  const refused = '409 Restore is not allowed to change existing peers.';
  for (const acquired of [{}, { A: 1 }, { A: 2, B: 1 }, { B: 2 }]) {
    expect(await restore(client, peer, acquired)).toBe(refused);
  }
  await client.acquire(holder, 'B');
  await client.acquire(peer, 'B');
  expect(await restore(client, peer, { A: 2 })).toBe(refused);
});

it('a peer with the highest 64-bit expiry never expires', async () => {
  const { client, clock } = await scene({ A: 1 });
  const huge = '18446744073709551615s';
  const peer = await client.newPeer(huge);
  expect(await client.acquire(peer, 'A', 1, `?expires_in=${huge}`)).toBe(`200 ${peer}`);
  expect(await client.said('PUT', `/peers/${peer}`, `{"expires_in":"${huge}"}`)).toBe('200 Ok');
  expect(await restore(client, '42', {}, huge)).toBe('200 Ok');
  clock.advance(1e15);
  expect(await client.said('GET', '/peers/')).toBe(`200 [{"id":${peer}},{"id":42}]`);
  const more = '{"expires_in":"18446744073709551616s"}';
  expect((await client.ask('POST', '/new_peer', more)).status).toBe(422);
});

it('a request with the highest 64-bit block_for is blocked without an end', async () => {
  const { client } = await scene({ A: 1 });
  const [holder, peer] = [await client.newPeer('1y'), await client.newPeer('1y')];
  await client.acquire(holder, 'A');
  const blocked = client.acquire(peer, 'A', 1, '?block_for=18446744073709551615s');
  await client.untilPending(peer);
  await client.said('DELETE', `/peers/${holder}`);
  expect(await blocked).toBe(`200 ${peer}`);
});

it('releasing a lock that is not held does not affect a pending lock on another semaphore', async () => {
  const { client } = await scene({ A: 1, B: 1 });
  const [holder, peer] = await client.newPeers(2);
  await client.acquire(holder, 'B');
  const blocked = client.acquire(peer, 'B', 1, '?block_for=1h');
  await client.untilPending(peer);
  expect(await client.said('DELETE', `/peers/${peer}/A`)).toBe('200 Ok');
  expect(await client.said('GET', `/peers/${peer}/is_acquired`)).toBe('200 false');
  await client.said('DELETE', `/peers/${holder}`);
  expect(await blocked).toBe(`200 ${peer}`);
});

it('releasing the semaphore of a pending lock withdraws it', async () => {
  const { client } = await scene({ A: 1 });
  const [holder, peer] = await client.newPeers(2);
  await client.acquire(holder, 'A');
  const blocked = client.acquire(peer, 'A', 1, '?block_for=1h');
  await client.untilPending(peer);
  expect(await client.said('DELETE', `/peers/${peer}/A`)).toBe('200 Ok');
  expect(await blocked).toBe(`202 ${peer}`);
  await client.said('DELETE', `/peers/${holder}`);
  expect(await client.remainder('A')).toBe('200 1');
});

it('closing answers blocked requests', async () => {
  const { client, server } = await scene({ A: 1 });
  const [holder, ...peers] = await client.newPeers(20);
  await client.acquire(holder, 'A');
  const blocked = peers.map((peer) => client.acquire(peer, 'A', 1, '?block_for=1h'));
  for (const peer of peers) await client.untilPending(peer);
  await server.close();
  expect(await Promise.all(blocked)).toEqual(peers.map((peer) => `202 ${peer}`));
});

it.each([
  ['is_acquired', 'is_acquired'],
  ['a/b', 'a%2Fb'],
  ['a%2Fb', 'a%252Fb'],
  ['%', '%25'],
  ['100%', '100%25'],
  ['%25', '%2525'],
  ['/&', '%2F%26'],
  ['a b', 'a%20b'],
  ['a+b', 'a+b'],
  ['ä/ö?#', '%C3%A4%2F%C3%B6%3F%23'],
  ['"\\\n', '%22%5C%0A'],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['{id}', '%7Bid%7D'],
  ['*', '*'],
  ['...', '...'],
])('a semaphore may be named %j', async (name, encoded) => {
  const { client } = await scene(Object.fromEntries([[name, 3]]));
  const peer = await client.newPeer();
  expect(await client.acquire(peer, encoded, 2)).toBe(`200 ${peer}`);
  expect(await client.said('GET', `/remainder?semaphore=${encodeURIComponent(name)}`)).toBe(
    '200 1',
  );
  expect(await client.said('DELETE', `/peers/${peer}/${encoded}`)).toBe('200 Ok');
  expect(await restore(client, '42', Object.fromEntries([[name, 3]]))).toBe('200 Ok');
  const { text } = await client.ask('GET', '/metrics');
  const label = name.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"');
  expect(text).toContain(`throttle_acquired{semaphore="${label}"} 3\n`);
});

it('restoring an existing peer renews it', async () => {
  const { client, clock } = await scene({ A: 1 });
  const peer = await client.newPeer('10s');
  await client.acquire(peer, 'A');
  clock.advance(9_000);
  expect(await restore(client, peer, { A: 1 }, '10s')).toBe('200 Ok');
  clock.advance(9_000);
  expect(await client.said('GET', `/peers/${peer}/is_acquired`)).toBe('200 true');
  clock.advance(1_000);
  expect(await client.remainder('A')).toBe('200 1');
});

it('no timer exceeds the longest delay that Node supports', async () => {
  const { client, clock } = await scene({ A: 1 });
  const setTimeout = vi.spyOn(clock, 'setTimeout');
  const [holder, peer] = [await client.newPeer('1y'), await client.newPeer('2y')];
  await client.acquire(holder, 'A');
  const blocked = client.acquire(peer, 'A', 1, '?block_for=1y+1d');
  await client.untilPending(peer);
  const day = 86_400_000;
  clock.advance(365 * day);
  expect(await client.said('GET', `/peers/${peer}/is_acquired`)).toBe('200 false');
  clock.advance(day / 4);
  expect(await blocked).toBe(`200 ${peer}`);
  const delays = setTimeout.mock.calls.map(([, delay]) => delay);
  expect(Math.max(...delays)).toBe(2 ** 31 - 1);
});
