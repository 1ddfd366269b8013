import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { Snapshot } from '../../src/http/snapshot.ts';
import { createServer } from '../../src/index.ts';
import type { Client } from '../client.ts';
import { scene } from '../scene.ts';
import { acquire } from '../use-limits.ts';

const highest = '18446744073709551615';

async function shown(client: Client, query = ''): Promise<Snapshot> {
  const { text } = await client.ask('GET', `/ui/state${query}`);
  return JSON.parse(text);
}

it('the state for the page reports each semaphore with its holders and its pending locks', async () => {
  const { client, clock } = await scene({ A: 3, B: { max: 1, level: -2 } });
  await client.said(
    'POST',
    '/restore',
    `{"expires_in":"1m","peer_id":${highest},"acquired":{"A":2}}`,
  );
  clock.advance(1_500);
  const [first, second] = [await client.newPeer('10s'), await client.newPeer('20s')];
  await client.acquire(first, 'A', 2);
  clock.advance(2_250);
  await client.acquire(second, 'A', 1);
  const [a, b] = (await shown(client)).semaphores;
  expect(a).toEqual({
    name: 'A',
    level: 0,
    max: '3',
    acquired: '2',
    pending: '3',
    longestWait: 2_250,
    retired: false,
    holding: {
      peers: 1,
      first: [{ peer: highest, count: '2', since: 3_750, expiresIn: 56_250 }],
    },
    waiting: {
      peers: 2,
      first: [
        { peer: first, count: '2', since: 2_250, expiresIn: 7_750 },
        { peer: second, count: '1', since: 0, expiresIn: 17_750 },
      ],
    },
  });
  expect(b).toMatchObject({ name: 'B', level: -2, max: '1', acquired: '0', longestWait: 0 });
});

it('the state for the page reflects a grant, a release, an expiry and a deleted peer', async () => {
  const { client, clock } = await scene({ A: 2 });
  const peers = [await client.newPeer('1s'), await client.newPeer(), await client.newPeer()];
  const [short = '', long = '', third = ''] = peers;
  for (const peer of peers) await client.acquire(peer, 'A');
  const holders = async () => {
    const { semaphores, peers } = await shown(client);
    const entries = semaphores[0]?.holding.first.map(({ peer, since }) => `${peer} ${since}`);
    return { peers, entries, waiting: semaphores[0]?.waiting.peers };
  };
  expect(await holders()).toEqual({ peers: 3, entries: [`${short} 0`, `${long} 0`], waiting: 1 });
  clock.advance(1_200);
  expect(await holders()).toEqual({
    peers: 2,
    entries: [`${long} 1200`, `${third} 200`],
    waiting: 0,
  });
  await client.said('DELETE', `/peers/${third}/A`);
  expect(await holders()).toEqual({ peers: 2, entries: [`${long} 1200`], waiting: 0 });
  await client.said('DELETE', `/peers/${long}`);
  expect(await holders()).toEqual({ peers: 1, entries: [], waiting: 0 });
});

it('the state for the page limits the peers and semaphores listed, and reports their total numbers', async () => {
  const many = Array.from({ length: 120 }, (_, i) => [`queue ${i}`, 10] as const);
  const { client } = await scene(Object.fromEntries(many));
  for (let i = 0; i < 30; i++) await client.acquire(await client.newPeer(), 'queue%200');
  const all = await shown(client);
  expect(all.found).toBe(120);
  expect(all.semaphores).toHaveLength(100);
  const [queue] = all.semaphores;
  expect([queue?.holding.peers, queue?.holding.first.length]).toEqual([10, 8]);
  expect([queue?.waiting.peers, queue?.waiting.first.length]).toEqual([20, 8]);
  const found = await shown(client, '?find=QUEUE%2011');
  expect(found.found).toBe(11);
  expect(found.semaphores.map(({ name }) => name)).toContain('queue 119');
});

it('the state for the page reports each limit without its keys', async () => {
  const { client, clock } = await scene({ A: 1 });
  await acquire(client, [
    { name: 'user', key: 'secret', limit: 2, weight: 2 },
    { name: 'user', key: 'other', limit: 2 },
    { name: 'pdf', limit: 1 },
    { name: 'pdf', limit: 1 },
  ]);
  clock.advance(250);
  const { foundLimits, limits } = await shown(client);
  expect(foundLimits).toBe(2);
  expect(limits).toEqual([
    { name: 'pdf', limit: 1, keys: 0, inflight: 1, queued: 1, longestWait: 250 },
    { name: 'user', limit: 2, keys: 2, inflight: 3, queued: 0, longestWait: 0 },
  ]);
  expect((await shown(client, '?find=PD')).limits.map(({ name }) => name)).toEqual(['pdf']);
});

it('the state for the page lists a semaphore that is no longer configured while it is held', async () => {
  const { client, server } = await scene({ A: 1, B: 1 });
  const peer = await client.newPeer();
  await client.acquire(peer, 'B');
  server.configure({ A: 1 });
  expect((await shown(client)).semaphores.map(({ name, retired }) => `${name} ${retired}`)).toEqual(
    ['A false', 'B true'],
  );
});

it('the state for the page does not shadow peers and semaphores named ui', async () => {
  const { client } = await scene({ ui: 2, state: 1 });
  const peer = await client.newPeer();
  expect(await client.acquire(peer, 'ui')).toBe(`200 ${peer}`);
  expect(await client.remainder('ui')).toBe('200 1');
  expect(await client.said('DELETE', `/peers/${peer}/ui`)).toBe('200 Ok');
  expect(await client.said('PUT', '/peers/ui/state', '1')).toMatch(/^400 /);
});

it('the state for the page sends a policy that forbids other origins and inline code', async () => {
  const { client } = await scene({});
  for (const path of ['/ui', '/ui/page.js', '/ui/state']) {
    const { status, headers } = await client.ask('GET', path);
    expect(status).toBe(200);
    const policy = headers['content-security-policy'];
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['strict-transport-security']).toBeUndefined();
  }
  const other = await client.ask('GET', '/health');
  expect(other.headers['content-security-policy']).toBeUndefined();
});

it('the state for the page redirects /ui/ to /ui, also when mounted in another app', async () => {
  const { app } = createServer({ semaphores: {} });
  const other = new Hono().mount('/semaphores', app.fetch);
  const answer = await other.request('http://localhost/semaphores/ui/');
  expect(answer.status).toBe(301);
  const url = new URL(answer.headers.get('location') ?? '', 'http://localhost/semaphores/ui/');
  expect(url.pathname).toBe('/semaphores/ui');
  expect((await other.request(url)).headers.get('content-type')).toMatch(/^text\/html/);
});

it('the state for the page requires the token for the state but not for the page', async () => {
  const { client } = await scene({ A: 1 }, { token: 'secret' });
  expect((await client.ask('GET', '/ui')).status).toBe(200);
  expect((await client.ask('GET', '/ui/page.css')).status).toBe(200);
  expect((await client.ask('GET', '/ui/state')).status).toBe(401);
  const headers = { Authorization: 'Bearer secret' };
  expect((await client.ask('GET', '/ui/state', undefined, { headers })).status).toBe(200);
});
