import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { scene } from '../scene.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

it('GET /, /health and /version answer', async () => {
  const { client } = await scene({});
  const index = await client.ask('GET', '/');
  expect(index).toMatchObject({ status: 200, text: 'Hello from Throttle!' });
  expect(index.headers['content-type']).toMatch(/^text\/plain/);
  expect(await client.said('GET', '/health')).toBe('200 Ok');
  expect(await client.said('GET', '/version')).toBe(`200 ${version}`);
});

it('GET /favicon.ico answers with an icon', async () => {
  const { server } = await scene({});
  const icon = await server.app.request('/favicon.ico');
  expect(icon.headers.get('content-type')).toBe('image/x-icon');
  const bytes = Buffer.from(await icon.arrayBuffer());
  // The file contains one image, and all of its bytes.
  expect([...bytes.subarray(0, 6)]).toEqual([0, 0, 1, 0, 1, 0]);
  expect(bytes.readUInt32LE(14) + bytes.readUInt32LE(18)).toBe(bytes.length);
});

it('an unknown path is answered 404, with a page', async () => {
  const { client } = await scene({});
  for (const path of ['/nothing', '/peers', '/peers/1/', '/peers/1/A/B', '/new_peer/']) {
    const answer = await client.ask('GET', path);
    expect(answer.status, path).toBe(404);
    expect(answer.headers['content-type'], path).toMatch(/^text\/html/);
    expect(answer.text, path).toMatch(/^<!doctype html>/i);
  }
});

it('POST /new_peer answers 200 with a bare 64-bit number', async () => {
  const { client } = await scene({});
  const ids = await Promise.all(
    Array.from({ length: 64 }, async () => {
      const answer = await client.ask('POST', '/new_peer', '{"expires_in":"5m"}');
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.text).toMatch(/^\d{1,20}$/);
      return BigInt(answer.text);
    }),
  );
  expect(new Set(ids).size).toBe(64);
  // Each bit, the highest and the lowest included, is set in about half of the ids.
  for (const bit of [0n, 1n, 31n, 32n, 52n, 53n, 62n, 63n]) {
    const set = ids.filter((id) => (id >> bit) & 1n).length;
    expect(set, `bit ${bit}`).toBeGreaterThan(5);
    expect(set, `bit ${bit}`).toBeLessThan(59);
  }
});

it('the highest id is preserved exactly', async () => {
  const { client } = await scene({ A: 3 });
  const id = '18446744073709551615';
  const body = `{"expires_in":"5m","peer_id":${id},"acquired":{}}`;
  expect(await client.said('POST', '/restore', body)).toBe('200 Ok');
  expect(await client.said('GET', '/peers/')).toBe(`200 [{"id":${id}}]`);
  expect(await client.acquire(id, 'A')).toBe(`200 ${id}`);
  expect(await client.said('GET', '/peers/18446744073709551614/is_acquired')).toBe(
    '400 Unknown peer',
  );
  const beyond = '{"expires_in":"5m","peer_id":18446744073709551616,"acquired":{}}';
  expect((await client.ask('POST', '/restore', beyond)).status).toBe(422);
  const beside = '{"expires_in":"5m","peer_id":9007199254740993,"acquired":{}}';
  expect(await client.said('POST', '/restore', beside)).toBe('200 Ok');
  expect(await client.said('GET', '/peers/9007199254740993/is_acquired')).toBe('200 true');
  expect(await client.said('GET', '/peers/9007199254740992/is_acquired')).toBe('400 Unknown peer');
});

it('a heartbeat renews its peer and no other', async () => {
  const { client, clock } = await scene({});
  const peer = await client.newPeer('10s');
  clock.advance(9_000);
  expect(await client.said('PUT', `/peers/${peer}`, '{"expires_in":"10s"}')).toBe('200 Ok');
  clock.advance(9_000);
  expect(await client.said('GET', `/peers/${peer}/is_acquired`)).toBe('200 true');
  clock.advance(1_000);
  expect(await client.said('PUT', `/peers/${peer}`, '{"expires_in":"10s"}')).toBe(
    '400 Unknown peer',
  );
});

it("a heartbeat may also shorten the peer's life", async () => {
  const { client, clock } = await scene({});
  const peer = await client.newPeer('1y');
  expect(await client.said('PUT', `/peers/${peer}`, '{"expires_in":"1s"}')).toBe('200 Ok');
  clock.advance(1_000);
  expect(await client.said('GET', '/peers/')).toBe('200 []');
});

it('DELETE /peers/{id} deletes the peer and releases its locks', async () => {
  const { client } = await scene({ A: 1 });
  const peer = await client.newPeer();
  await client.acquire(peer, 'A');
  const released = await client.ask('DELETE', `/peers/${peer}`);
  expect(released).toMatchObject({ status: 200, text: '"Peer released"' });
  expect(released.headers['content-type']).toBe('application/json');
  expect(await client.remainder('A')).toBe('200 1');
  expect(await client.said('DELETE', `/peers/${peer}`)).toBe('200 "Peer not found"');
});

it('PUT /peers/{id}/{semaphore} answers 200 or 202, with the id', async () => {
  const { client } = await scene({ A: 1 });
  const [one, two] = await client.newPeers(2);
  const acquired = await client.ask('PUT', `/peers/${one}/A?`, '1');
  expect(acquired).toMatchObject({ status: 200, text: one });
  expect(acquired.headers['content-type']).toBe('application/json');
  const pending = await client.ask('PUT', `/peers/${two}/A?block_for=0s`, '1');
  expect(pending).toMatchObject({ status: 202, text: two });
  expect(pending.headers['content-type']).toBe('application/json');
});

it('DELETE /peers/{id}/{semaphore} releases the lock', async () => {
  const { client } = await scene({ A: 1, B: 1 });
  const peer = await client.newPeer();
  await client.acquire(peer, 'A');
  expect(await client.said('DELETE', `/peers/${peer}/A`)).toBe('200 Ok');
  expect(await client.remainder('A')).toBe('200 1');
  expect(await client.said('DELETE', `/peers/${peer}/A`)).toBe('200 Ok');
  expect(await client.said('DELETE', `/peers/${peer}/B`)).toBe('200 Ok');
  expect(await client.said('DELETE', '/peers/0/A')).toBe('400 Unknown peer');
  expect(await client.said('DELETE', '/peers/0/Z')).toBe('400 Unknown semaphore');
});

it('GET /peers/{id}/is_acquired reports whether no lock is pending', async () => {
  const { client } = await scene({ A: 1 });
  const [one, two] = await client.newPeers(2);
  expect(await client.said('GET', `/peers/${one}/is_acquired`)).toBe('200 true');
  await client.acquire(one, 'A');
  await client.acquire(two, 'A');
  expect(await client.said('GET', `/peers/${one}/is_acquired`)).toBe('200 true');
  const waits = await client.ask('GET', `/peers/${two}/is_acquired`);
  expect(waits).toMatchObject({ status: 200, text: 'false' });
  expect(waits.headers['content-type']).toBe('application/json');
  expect(await client.said('GET', '/peers/0/is_acquired')).toBe('400 Unknown peer');
});

it('GET /remainder may be negative', async () => {
  const { client } = await scene({ A: 2, '/&': 7 });
  expect(await client.remainder('A')).toBe('200 2');
  expect(await client.remainder('%2F%26')).toBe('200 7');
  const body = '{"expires_in":"5m","peer_id":1,"acquired":{"A":5}}';
  expect(await client.said('POST', '/restore', body)).toBe('200 Ok');
  expect(await client.remainder('A')).toBe('200 -3');
  expect(await client.remainder('Z')).toBe('400 Unknown semaphore');
  expect((await client.ask('GET', '/remainder')).status).toBe(400);
  expect((await client.ask('GET', '/remainder?semaphore=A&semaphore=A')).status).toBe(400);
});

it('GET /peers/ lists the peers', async () => {
  const { client } = await scene({});
  expect(await client.said('GET', '/peers/')).toBe('200 []');
  const [one, two] = await client.newPeers(2);
  const list = await client.ask('GET', '/peers/');
  expect(list.headers['content-type']).toBe('application/json');
  expect(list.text).toBe(`[{"id":${one}},{"id":${two}}]`);
});
