import { expect, it } from 'vitest';
import type { Client } from '../client.ts';
import { scene } from '../scene.ts';

const restore = (acquired: string, id = '1') =>
  `{"expires_in":"5m","peer_id":${id},"acquired":${acquired}}`;

it('unknown semaphores and peers are refused', async () => {
  const { client } = await scene({ A: 1 });
  const peer = await client.newPeer();
  expect(await client.acquire(peer, 'Z')).toBe('400 Unknown semaphore');
  expect(await client.acquire('0', 'A')).toBe('400 Unknown peer');
  expect(await client.said('PUT', '/peers/0', '{"expires_in":"1s"}')).toBe('400 Unknown peer');
  expect(await client.said('POST', '/restore', restore('{"Z":1}'))).toBe('400 Unknown semaphore');
});

it('invalid counts are refused', async () => {
  const { client } = await scene({ A: 3 });
  const peer = await client.newPeer();
  expect(await client.acquire(peer, 'A', 0)).toBe(
    '400 Lock count must be a positive number. Found: 0.',
  );
  expect(await client.said('PUT', `/peers/${peer}/A`, '-9223372036854775808')).toBe(
    '400 Lock count must be a positive number. Found: -9223372036854775808.',
  );
  expect(await client.said('PUT', `/peers/${peer}/A`, '9223372036854775807')).toBe(
    '409 Lock can never be acquired. Lock asks for count 9223372036854775807 yet full count is only 3.',
  );
  await client.acquire(peer, 'A', 2);
  expect(await client.acquire(peer, 'A', 1)).toBe(
    '501 Shrinking the count of an existing lock is currently not implemented.',
  );
});

it('a hierarchy violation is refused with the exact text of the protocol', async () => {
  const { client } = await scene({ low: { max: 1, level: -7 }, high: { max: 1, level: 2 } });
  const peer = await client.newPeer();
  await client.acquire(peer, 'low');
  expect(await client.acquire(peer, 'high')).toBe(
    '409 Lock hierachy violation. This may deadlock. The current lock level is -7 the\n' +
      '        requested lock level was 2.',
  );
});

it('a second pending lock and a restore that would change a peer are refused', async () => {
  const { client } = await scene({ A: 1, B: 1 });
  const [one, two] = await client.newPeers(2);
  await client.acquire(one, 'A');
  await client.acquire(two, 'A');
  expect(await client.acquire(two, 'B')).toBe(
    '409 Already pending. Only one pendig lock per peer is allowed.',
  );
  expect(await client.said('POST', '/restore', restore('{"B":1}', one))).toBe(
    '409 Restore is not allowed to change existing peers.',
  );
});

const bodies: [what: string, method: string, path: string, good: string][] = [
  ['a new peer', 'POST', '/new_peer', '{"expires_in":"5m"}'],
  ['a heartbeat', 'PUT', '/peers/7', '{"expires_in":"5m"}'],
  ['an acquire', 'PUT', '/peers/7/A', '1'],
  ['a restore', 'POST', '/restore', '{"expires_in":"5m","peer_id":7,"acquired":{}}'],
];

it.each(bodies)('%s requires the media type of JSON', async (_, method, path, good) => {
  const { client } = await withPeer7();
  const as = async (type?: string) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
    return (await client.ask(method, path, good, { headers })).status;
  };
  expect(await as('application/json')).toBe(200);
  expect(await as('Application/JSON; charset=utf-8')).toBe(200);
  expect(await as('application/problem+json')).toBe(200);
  expect(await as()).toBe(415);
  expect(await as('text/plain')).toBe(415);
  expect(await as('application/x-www-form-urlencoded')).toBe(415);
  expect(await as('application/jsonp')).toBe(415);
  expect(await as('text/application/json')).toBe(415);
});

it.each(bodies)('%s refuses invalid JSON', async (_, method, path, good) => {
  const { client } = await withPeer7();
  for (const body of ['', '{', '{"expires_in":}', '{1', `${good} 1`, '01', '+1', "'1'", '[1,]']) {
    expect((await client.ask(method, path, body)).status, body).toBe(400);
  }
  const deep = '['.repeat(60_000);
  expect((await client.ask(method, path, deep)).status).toBe(400);
});

it.each(bodies)('%s refuses JSON of another type', async (_, method, path) => {
  const { client } = await withPeer7();
  for (const body of ['null', 'true', '"1"', '[]', '[1]', '1.5', '1.0', '1e3', '{}']) {
    expect((await client.ask(method, path, body)).status, body).toBe(422);
  }
  expect((await client.ask(method, path, '9223372036854775808')).status).toBe(422);
  expect((await client.ask(method, path, '9'.repeat(60_000))).status).toBe(422);
});

it.each([
  '{"expires_in":5}',
  '{"expires_in":"5"}',
  '{"expires_in":"-5s"}',
  '{"expires_in":""}',
  '{"expires_in":null}',
  '{"expires_in":["5s"]}',
  '{"expires_In":"5s"}',
  '{"__proto__":{"expires_in":"5s"}}',
])('the body %s is refused', async (body) => {
  const { client } = await withPeer7();
  expect((await client.ask('POST', '/new_peer', body)).status).toBe(422);
  expect((await client.ask('PUT', '/peers/7', body)).status).toBe(422);
});

it.each([
  '{"expires_in":"5m","peer_id":1}',
  '{"expires_in":"5m","acquired":{}}',
  '{"peer_id":1,"acquired":{}}',
  restore('[]'),
  restore('{"A":"1"}'),
  restore('{"A":1.5}'),
  restore('{"A":null}'),
  restore('{}', '-1'),
  restore('{}', '"1"'),
  restore('{}', '1.0'),
])('restoring %s is refused', async (body) => {
  const { client } = await scene({ A: 1 });
  expect((await client.ask('POST', '/restore', body)).status).toBe(422);
  expect(await client.said('GET', '/peers/')).toBe('200 []');
});

it('unknown fields are ignored', async () => {
  const { client } = await withPeer7();
  const body = '{"expires_in":"5m","more":[{"a":1e999}]}';
  expect((await client.ask('PUT', '/peers/7', body)).status).toBe(200);
});

it.each(['x', '-1', '1.5', '0x1', '18446744073709551616', '9'.repeat(1_000), '%20', '1%2F', '%FF'])(
  '%s is refused as a peer id',
  async (id) => {
    const { client } = await scene({ A: 1 });
    const answers = await Promise.all([
      client.ask('PUT', `/peers/${id}`, '{"expires_in":"1s"}'),
      client.ask('DELETE', `/peers/${id}`),
      client.ask('PUT', `/peers/${id}/A`, '1'),
      client.ask('DELETE', `/peers/${id}/A`),
      client.ask('GET', `/peers/${id}/is_acquired`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
  },
);

it.each(['5', 'x', '', '-1s', '1m%2B40s', '1s&block_for=1s', '18446744073709551616s'])(
  'block_for=%s is refused',
  async (text) => {
    const { client } = await withPeer7();
    expect((await client.ask('PUT', `/peers/7/A?block_for=${text}`, '1')).status).toBe(400);
    const expiry = text.replace('block_for', 'expires_in');
    expect((await client.ask('PUT', `/peers/7/A?expires_in=${expiry}`, '1')).status).toBe(400);
    expect(await client.remainder('A')).toBe('200 1');
  },
);

it('errors in the path or the query are reported before errors in the body', async () => {
  const { client } = await withPeer7();
  expect((await client.ask('PUT', '/peers/x', '{')).status).toBe(400);
  expect((await client.ask('PUT', '/peers/7/A?block_for=x', '"', { headers: {} })).status).toBe(
    400,
  );
});

it('another method is answered 405 with the allowed ones', async () => {
  const { client } = await scene({});
  const wrong = [
    ['PUT', '/new_peer', 'POST'],
    ['GET', '/peers/7', 'PUT, DELETE'],
    ['POST', '/peers/7/A', 'PUT, DELETE'],
    ['POST', '/health', 'GET, HEAD'],
    ['DELETE', '/remainder', 'GET, HEAD'],
    ['GET', '/restore', 'POST'],
    ['PATCH', '/metrics', 'GET, HEAD'],
    ['POST', '/peers/', 'GET, HEAD'],
  ];
  for (const [method = '', path = '', allowed] of wrong) {
    const answer = await client.ask(method, path);
    expect(answer.status, path).toBe(405);
    expect(answer.headers.allow, path).toBe(allowed);
  }
});

async function withPeer7(): Promise<{ client: Client }> {
  const { client } = await scene({ A: 1 });
  await client.ask('POST', '/restore', restore('{}', '7'));
  return { client };
}
