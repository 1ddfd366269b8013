import { systemClock } from '@headgate/core';
import { expect, it } from 'vitest';
import type { Client } from '../client.ts';
import { scene } from '../scene.ts';

it('a pending lock outlives its block_for and keeps its queue position', async () => {
  const { client, clock } = await scene({ A: 1 });
  const [holder, first, second] = await client.newPeers(3);
  await client.acquire(holder, 'A');
  const blocked = client.acquire(first, 'A', 1, '?block_for=10s');
  await client.untilPending(first);
  await client.acquire(second, 'A');
  clock.advance(10_000);
  expect(await blocked).toBe(`202 ${first}`);
  await client.said('DELETE', `/peers/${holder}`);
  expect(await client.said('GET', `/peers/${first}/is_acquired`)).toBe('200 true');
  expect(await client.said('GET', `/peers/${second}/is_acquired`)).toBe('200 false');
});

it('a pending lock survives the disconnect of its blocked client', async () => {
  const { client } = await scene({ A: 1 }, { maxBlocked: 1, clock: systemClock });
  const [holder, first, other] = await client.newPeers(3);
  await client.acquire(holder, 'A');
  const leaving = new AbortController();
  const { signal } = leaving;
  const headers = { 'Content-Type': 'application/json' };
  const left = client.ask('PUT', `/peers/${first}/A?block_for=1h`, '1', { headers, signal });
  await client.untilPending(first);
  expect(await mayBlock(client, other)).toBe(false);
  leaving.abort();
  await expect(left).rejects.toThrow();
  // The disconnected request has ended once another one can be blocked.
  while (!(await mayBlock(client, other)));
  expect(await client.said('GET', `/peers/${first}/is_acquired`)).toBe('200 false');
  await client.said('DELETE', `/peers/${holder}`);
  expect(await client.said('GET', `/peers/${first}/is_acquired`)).toBe('200 true');
});

it('a blocked request returns immediately on a release', async () => {
  const { client } = await scene({ A: 1 });
  const [holder, peer] = await client.newPeers(2);
  await client.acquire(holder, 'A');
  const blocked = client.acquire(peer, 'A', 1, '?block_for=1h');
  await client.untilPending(peer);
  await client.said('DELETE', `/peers/${holder}/A`);
  expect(await blocked).toBe(`200 ${peer}`);
});

it('a blocked request returns when the holder expires, even without other requests', async () => {
  const { client, clock, log } = await scene({ A: 1 });
  const [holder, peer] = [await client.newPeer('10s'), await client.newPeer()];
  await client.acquire(holder, 'A');
  const blocked = client.acquire(peer, 'A', 1, '?block_for=1h');
  await client.untilPending(peer);
  clock.advance(10_000);
  expect(await blocked).toBe(`200 ${peer}`);
  expect(log).toContain('warn Removed 1 peers due to expiration.');
});

it('a blocked request is answered 202 when its block_for has elapsed, not before', async () => {
  const { client, clock } = await scene({ A: 1 });
  const [holder, peer] = await client.newPeers(2);
  await client.acquire(holder, 'A');
  let answer = '';
  const blocked = client.acquire(peer, 'A', 1, '?block_for=2s').then((said) => {
    answer = said;
  });
  await client.untilPending(peer);
  clock.advance(1_999);
  await client.untilPending(peer);
  expect(answer).toBe('');
  clock.advance(1);
  await blocked;
  expect(answer).toBe(`202 ${peer}`);
});

it.each(['is deleted', 'expires'])(
  'a blocked request is answered 400 when its peer %s',
  async (how) => {
    const { client, clock } = await scene({ A: 1 });
    const [holder, peer] = [await client.newPeer(), await client.newPeer('10s')];
    await client.acquire(holder, 'A');
    const blocked = client.acquire(peer, 'A', 1, '?block_for=1h');
    await client.untilPending(peer);
    if (how === 'expires') clock.advance(10_000);
    else await client.said('DELETE', `/peers/${peer}`);
    expect(await blocked).toBe('400 Unknown peer');
  },
);

it('all blocked requests of one peer are answered', async () => {
  const bounds = { maxBlocked: 4, clock: systemClock };
  const { client } = await scene({ A: 1, B: { max: 5, level: 1 } }, bounds);
  const [holder, peer, other] = await client.newPeers(3);
  await client.acquire(holder, 'A');
  await client.acquire(peer, 'B');
  const blocked = ['A', 'A', 'A'].map((name) => block(client, peer, name));
  await client.untilPending(peer);
  // A request for a held lock is blocked, too, while another lock of the peer is pending.
  blocked.push(block(client, peer, 'B'));
  while (await mayBlock(client, other));
  await client.said('DELETE', `/peers/${holder}`);
  expect(await Promise.all(blocked)).toEqual(Array(4).fill(`200 ${peer}`));
});

it('a request without block_for is answered immediately', async () => {
  const { client } = await scene({ A: 1 });
  const [holder, peer] = await client.newPeers(2);
  await client.acquire(holder, 'A');
  expect(await client.acquire(peer, 'A')).toBe(`202 ${peer}`);
  expect(await client.acquire(peer, 'A', 1, '?block_for=0s')).toBe(`202 ${peer}`);
});

/** Repeats a request that is answered 503, as it is while `mayBlock` occupies the last place. */
async function block(client: Client, peer: string, name: string): Promise<string> {
  const answer = await client.acquire(peer, name, 1, '?block_for=1h');
  return answer.startsWith('503') ? block(client, peer, name) : answer;
}

/** Whether one more request can be blocked, made by a peer whose lock on A is pending. */
async function mayBlock(client: Client, peer: string): Promise<boolean> {
  return !(await client.acquire(peer, 'A', 1, '?block_for=1ms')).startsWith('503');
}
