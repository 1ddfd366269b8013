import { expect, it } from 'vitest';
import { scene } from '../scene.ts';

const never = (asked: number, max: number) =>
  `409 Lock can never be acquired. Lock asks for count ${asked} yet full count is only ${max}.`;
const badCount = (count: number) => `400 Lock count must be a positive number. Found: ${count}.`;
const violation = (current: number, requested: number) =>
  `409 Lock hierachy violation. This may deadlock. The current lock level is ${current} the\n` +
  `        requested lock level was ${requested}.`;
const alreadyPending = '409 Already pending. Only one pendig lock per peer is allowed.';

it('an acquire is checked in the documented order', async () => {
  const { client, clock } = await scene({ A: 2, B: { max: 2, level: 1 }, C: 1 });
  const [peer, other] = [await client.newPeer('10s'), await client.newPeer()];
  // An unknown semaphore comes first.
  expect(await client.acquire('0', 'Z', -1)).toBe('400 Unknown semaphore');
  // The full count comes before the peer.
  expect(await client.acquire('0', 'A', 3)).toBe(never(3, 2));
  // The peer comes before the count if expires_in is given, and after it if not.
  expect(await client.acquire('0', 'A', 0, '?expires_in=1m')).toBe('400 Unknown peer');
  expect(await client.acquire('0', 'A', 0)).toBe(badCount(0));
  expect(await client.acquire('0', 'A', 1)).toBe('400 Unknown peer');
  // A refused acquire still renews the peer, unless the count can never be granted.
  expect(await client.acquire(peer, 'A', 0, '?expires_in=1m')).toBe(badCount(0));
  clock.advance(59_000);
  expect(await client.acquire(peer, 'A', 3, '?expires_in=1m')).toBe(never(3, 2));
  clock.advance(1_000);
  expect(await client.said('GET', `/peers/${peer}/is_acquired`)).toBe('400 Unknown peer');
  // An existing lock comes before the hierarchy, which comes before another pending lock.
  await client.acquire(other, 'A', 2);
  expect(await client.acquire(other, 'A', 2)).toBe(`200 ${other}`);
  expect(await client.acquire(other, 'B', 1)).toBe(violation(0, 1));
  const [holder, waiter] = await client.newPeers(2);
  await client.acquire(holder, 'C');
  await client.acquire(waiter, 'C');
  expect(await client.acquire(waiter, 'B')).toBe(alreadyPending);
});

it('acquiring the same count again changes nothing; a larger or smaller count is refused', async () => {
  const { client } = await scene({ A: 5, B: { max: 1, level: -1 } });
  const [peer, holder] = await client.newPeers(2);
  for (let i = 0; i < 3; i++) expect(await client.acquire(peer, 'A', 2)).toBe(`200 ${peer}`);
  expect(await client.remainder('A')).toBe('200 3');
  expect(await client.acquire(peer, 'A', 3)).toBe(violation(0, 0));
  expect(await client.acquire(peer, 'A', 1)).toMatch(/^501 Shrinking/);
  expect(await client.remainder('A')).toBe('200 3');
  // The same holds for a pending lock.
  await client.acquire(holder, 'B');
  for (let i = 0; i < 3; i++) expect(await client.acquire(peer, 'B')).toBe(`202 ${peer}`);
  // A repeated request for a held lock is answered 202 while another lock of the peer is pending.
  expect(await client.acquire(peer, 'A', 2)).toBe(`202 ${peer}`);
  const { text } = await client.ask('GET', '/metrics');
  expect(text).toContain('throttle_pending{semaphore="B"} 1\n');
});

it('locks must be acquired in descending levels; an equal level is a violation', async () => {
  const { client } = await scene({
    top: { max: 9, level: 2_147_483_647 },
    middle: { max: 9 },
    also: 9,
    bottom: { max: 9, level: -2_147_483_648 },
  });
  const peer = await client.newPeer();
  expect(await client.acquire(peer, 'top')).toBe(`200 ${peer}`);
  expect(await client.acquire(peer, 'middle')).toBe(`200 ${peer}`);
  expect(await client.acquire(peer, 'also')).toBe(violation(0, 0));
  expect(await client.acquire(peer, 'bottom')).toBe(`200 ${peer}`);
  await client.said('DELETE', `/peers/${peer}/top`);
  expect(await client.acquire(peer, 'top')).toBe(violation(-2_147_483_648, 2_147_483_647));
  // The lowest level held counts.
  await client.said('DELETE', `/peers/${peer}/bottom`);
  expect(await client.acquire(peer, 'also')).toBe(violation(0, 0));
  await client.said('DELETE', `/peers/${peer}/middle`);
  expect(await client.acquire(peer, 'also')).toBe(`200 ${peer}`);
});

it('the level of a pending lock does not count', async () => {
  const { client } = await scene({ low: { max: 1, level: 0 }, high: { max: 1, level: 1 } });
  const [holder, peer] = await client.newPeers(2);
  await client.acquire(holder, 'low');
  expect(await client.acquire(peer, 'low')).toBe(`202 ${peer}`);
  // Refused because a lock is pending, not because of its level.
  expect(await client.acquire(peer, 'high')).toBe(alreadyPending);
});

it('a peer has at most one pending lock', async () => {
  const { client } = await scene({ A: { max: 1, level: 1 }, B: 1, C: 5 });
  const [holder, peer] = await client.newPeers(2);
  await client.acquire(holder, 'A');
  await client.acquire(holder, 'B');
  expect(await client.acquire(peer, 'A')).toBe(`202 ${peer}`);
  expect(await client.acquire(peer, 'B')).toBe(alreadyPending);
  // Not even for a semaphore with free count.
  expect(await client.acquire(peer, 'C')).toBe(alreadyPending);
  await client.said('DELETE', `/peers/${holder}/A`);
  expect(await client.acquire(peer, 'B')).toBe(`202 ${peer}`);
});

it('a new request does not overtake pending locks, and a large count is not starved', async () => {
  const { client } = await scene({ A: 5 });
  const [small, big, late] = await client.newPeers(3);
  expect(await client.acquire(small, 'A', 2)).toBe(`200 ${small}`);
  expect(await client.acquire(big, 'A', 4)).toBe(`202 ${big}`);
  expect(await client.acquire(late, 'A', 1)).toBe(`202 ${late}`);
  expect(await client.remainder('A')).toBe('200 3');
  await client.said('DELETE', `/peers/${small}`);
  expect(await client.remainder('A')).toBe('200 0');
  expect(await client.acquire(big, 'A', 4)).toBe(`200 ${big}`);
  expect(await client.acquire(late, 'A', 1)).toBe(`200 ${late}`);
});

it('pending locks are granted strictly in the order of their first requests', async () => {
  const { client } = await scene({ A: 1 });
  const peers: string[] = [];
  for (let i = 0; i < 6; i++) {
    peers.push(await client.newPeer());
    await client.acquire(peers[i] as string, 'A');
  }
  // Repeating the request does not change its position.
  for (const peer of [...peers].reverse()) await client.acquire(peer, 'A');
  for (const [i, peer] of peers.entries()) {
    const states = await Promise.all(
      peers.slice(i).map((each) => client.said('GET', `/peers/${each}/is_acquired`)),
    );
    expect(states).toEqual(states.map((_, at) => `200 ${at === 0}`));
    await client.said('DELETE', `/peers/${peer}`);
  }
});

it('expires_in renews the peer even if the lock stays pending', async () => {
  const { client, clock } = await scene({ A: 1 });
  const [holder, peer] = [await client.newPeer('1h'), await client.newPeer('3s')];
  await client.acquire(holder, 'A');
  expect(await client.acquire(peer, 'A', 1, '?expires_in=100s')).toBe(`202 ${peer}`);
  clock.advance(99_000);
  expect(await client.said('GET', `/peers/${peer}/is_acquired`)).toBe('200 false');
  expect(await client.acquire(holder, 'A', 1, '?expires_in=1s')).toBe(`200 ${holder}`);
  clock.advance(1_000);
  expect(await client.said('GET', `/peers/${holder}/is_acquired`)).toBe('400 Unknown peer');
});

it('a + in a query is a space', async () => {
  const { client, clock } = await scene({ A: 1 });
  const [holder, peer] = await client.newPeers(2);
  await client.acquire(holder, 'A', 1, '?expires_in=1m+40s');
  await client.acquire(peer, 'A');
  clock.advance(99_999);
  expect(await client.remainder('A')).toBe('200 0');
  expect(await client.said('GET', `/peers/${holder}/is_acquired`)).toBe('200 true');
  clock.advance(1);
  expect(await client.said('GET', `/peers/${holder}/is_acquired`)).toBe('400 Unknown peer');
  expect(await client.acquire(peer, 'A', 1, '?expires_in=1m%2040s')).toBe(`200 ${peer}`);
});
