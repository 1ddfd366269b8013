import { systemClock } from '@headgate/core';
import { expect, it } from 'vitest';
import type { Client } from '../client.ts';
import { scene } from '../scene.ts';

it('T16: a pending lock survives the end of its block_for, and keeps its place', async () => {
  const { client, clock } = await scene({ A: 1 });
  const [holder, first, second] = await client.newPeers(3);
  await client.acquire(holder, 'A');
  const blocked = client.acquire(first, 'A', 1, '?block_for=10s');
  await client.untilPending(first);
  await client.acquire(second, 'A');
  clock.pass(10_000);
  expect(await blocked).toBe(`202 ${first}`);
  await client.said('DELETE', `/peers/${holder}`);
  expect(await client.said('GET', `/peers/${first}/is_acquired`)).toBe('200 true');
  expect(await client.said('GET', `/peers/${second}/is_acquired`)).toBe('200 false');
});

it('T16: a pending lock survives a client that goes away while it is blocked', async () => {
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
  // Its request has ended when another one may be blocked in its place.
  while (!(await mayBlock(client, other)));
  expect(await client.said('GET', `/peers/${first}/is_acquired`)).toBe('200 false');
  await client.said('DELETE', `/peers/${holder}`);
  expect(await client.said('GET', `/peers/${first}/is_acquired`)).toBe('200 true');
});

it('T17: a blocked request returns at once on a release', async () => {
  const { client } = await scene({ A: 1 });
  const [holder, peer] = await client.newPeers(2);
  await client.acquire(holder, 'A');
  const blocked = client.acquire(peer, 'A', 1, '?block_for=1h');
  await client.untilPending(peer);
  await client.said('DELETE', `/peers/${holder}/A`);
  expect(await blocked).toBe(`200 ${peer}`);
});

it("T17: and on a holder's expiry, though nobody asks for anything", async () => {
  const { client, clock, log } = await scene({ A: 1 });
  const [holder, peer] = [await client.newPeer('10s'), await client.newPeer()];
  await client.acquire(holder, 'A');
  const blocked = client.acquire(peer, 'A', 1, '?block_for=1h');
  await client.untilPending(peer);
  clock.pass(10_000);
  expect(await blocked).toBe(`200 ${peer}`);
  expect(log).toContain('warn Removed 1 peers due to expiration.');
});

it('T17: 202 when its time is up, not before', async () => {
  const { client, clock } = await scene({ A: 1 });
  const [holder, peer] = await client.newPeers(2);
  await client.acquire(holder, 'A');
  let answer = '';
  const blocked = client.acquire(peer, 'A', 1, '?block_for=2s').then((said) => {
    answer = said;
  });
  await client.untilPending(peer);
  clock.pass(1_999);
  await client.untilPending(peer);
  expect(answer).toBe('');
  clock.pass(1);
  await blocked;
  expect(answer).toBe(`202 ${peer}`);
});

it.each(['is deleted', 'expires'])('T17: 400 when the peer %s meanwhile', async (how) => {
  const { client, clock } = await scene({ A: 1 });
  const [holder, peer] = [await client.newPeer(), await client.newPeer('10s')];
  await client.acquire(holder, 'A');
  const blocked = client.acquire(peer, 'A', 1, '?block_for=1h');
  await client.untilPending(peer);
  if (how === 'expires') clock.pass(10_000);
  else await client.said('DELETE', `/peers/${peer}`);
  expect(await blocked).toBe('400 Unknown peer');
});

it('T17: several requests of one peer all wake', async () => {
  const bounds = { maxBlocked: 4, clock: systemClock };
  const { client } = await scene({ A: 1, B: { max: 5, level: 1 } }, bounds);
  const [holder, peer, other] = await client.newPeers(3);
  await client.acquire(holder, 'A');
  await client.acquire(peer, 'B');
  const blocked = ['A', 'A', 'A'].map((name) => client.acquire(peer, name, 1, '?block_for=1h'));
  await client.untilPending(peer);
  // What is held already is blocked, too, as long as something is pending.
  blocked.push(client.acquire(peer, 'B', 1, '?block_for=1h'));
  while (await mayBlock(client, other));
  await client.said('DELETE', `/peers/${holder}`);
  expect(await Promise.all(blocked)).toEqual(Array(4).fill(`200 ${peer}`));
});

it('T17: without block_for the answer comes at once', async () => {
  const { client } = await scene({ A: 1 });
  const [holder, peer] = await client.newPeers(2);
  await client.acquire(holder, 'A');
  expect(await client.acquire(peer, 'A')).toBe(`202 ${peer}`);
  expect(await client.acquire(peer, 'A', 1, '?block_for=0s')).toBe(`202 ${peer}`);
});

/** Whether there is room for one more blocked request, of a peer that waits for A. */
async function mayBlock(client: Client, peer: string): Promise<boolean> {
  return !(await client.acquire(peer, 'A', 1, '?block_for=1ms')).startsWith('503');
}
