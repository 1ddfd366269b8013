import { request } from 'node:http';
import * as v from 'valibot';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Scene, scene } from '../scene.ts';

interface Wishes {
  readonly verb?: string;
  readonly id?: string;
  readonly name?: string;
  readonly key?: string;
  readonly limit?: number;
  readonly lease?: object;
}

function op({
  verb = 'acquire',
  id = 'me.1',
  name = 'pdf',
  key,
  limit = 1,
  lease = {},
}: Wishes = {}) {
  const ref = { name, key, limit, version: '' };
  const terms = { weight: 1, resized: false, wait: 5_000, queueLimit: 9 };
  return { verb, lease: { ref, id, ...terms, extraTokens: 0, reserves: false, ...lease } };
}

const batch = (ops: readonly object[], fields: object = {}) =>
  JSON.stringify({ owner: 'me', leaseDuration: 10_000, ops, ...fields });

async function send({ client }: Scene, ...wishes: Wishes[]) {
  const { status, text } = await client.ask('POST', '/limits', batch(wishes.map(op)));
  expect(status).toBe(200);
  return JSON.parse(text);
}

/** Opens the stream of a process, and collects its lines. */
function listen({ port }: Scene, query = 'owner=me') {
  const stream = {
    lines: [] as string[],
    isOver: false,
    pause: () => {},
    leave: () => void sent.destroy(),
  };
  const sent = request({ port, path: `/limits/messages?${query}` }, (response) => {
    response.setEncoding('utf8').on('data', (text: string) => {
      stream.lines.push(...text.split('\n').slice(0, -1));
    });
    response.on('error', () => {});
    stream.pause = () => void response.pause();
    response.on('close', () => {
      stream.isOver = true;
    });
  });
  sent.on('error', () => {});
  sent.end();
  onTestFinished(() => void sent.destroy());
  return stream;
}

it('leases are held, queued and refused in the order of a batch, and fencing tokens are strings', async () => {
  const world = await scene({});
  const answers = await send(world, {}, { id: 'me.2' }, { id: 'me.3', lease: { queueLimit: 1 } });
  expect(answers).toMatchObject([
    { state: 'held', fencing: expect.stringMatching(/^\d{16,}$/), limit: 1, inflight: 1 },
    { state: 'queued', place: expect.stringMatching(/^\d+$/) },
    { state: 'full' },
  ]);
  const { text } = await world.client.ask('POST', '/limits/stats', '{"name":"pdf"}');
  expect(JSON.parse(text)).toMatchObject({ limit: 1, inflight: 1, holders: 1, queued: 1 });
});

it('a queued lease is announced on the stream of its process when it is granted', async () => {
  const world = await scene({});
  const stream = listen(world);
  await vi.waitFor(() => expect(stream.lines).toEqual(['{"check":true}']));
  await send(world, {}, { id: 'me.2' });
  await send(world, { verb: 'release' });
  await vi.waitFor(() => expect(stream.lines).toHaveLength(2));
  const grant = { id: 'me.2', fencing: expect.stringMatching(/^\d+$/) };
  expect(JSON.parse(stream.lines[1] as string)).toEqual({ grant });
});

it('a stream has a line at each interval, so that a silent one is dead', async () => {
  const world = await scene({});
  const stream = listen(world, 'owner=me&every=200');
  await vi.waitFor(() => expect(stream.lines).toEqual(['{"check":true}']));
  for (let beats = 1; beats <= 3; beats++) {
    world.clock.advance(200);
    await vi.waitFor(() => expect(stream.lines.slice(1)).toEqual(Array(beats).fill('')));
  }
});

it('a stream of a client that has left is closed, and a HEAD request opens none', async () => {
  const world = await scene({});
  const idle = world.clock.armed;
  expect((await world.client.ask('HEAD', '/limits/messages?owner=me')).status).toBe(200);
  expect(world.clock.armed).toBe(idle);
  const stream = listen(world);
  await vi.waitFor(() => expect(stream.lines).toHaveLength(1));
  expect(world.clock.armed).toBe(idle + 1);
  stream.leave();
  await vi.waitFor(() => expect(world.clock.armed).toBe(idle));
});

it('a client that reads nothing loses its stream, and opens another one', async () => {
  const world = await scene({});
  const stream = listen(world);
  await vi.waitFor(() => expect(stream.lines).toHaveLength(1));
  stream.pause();
  const change = { verb: 'declare', ref: { name: 'pdf', limit: 1, version: '' } };
  await send(world, {});
  const idle = world.clock.armed;
  const long = { ...change, ref: { ...change.ref, name: 'x'.repeat(4_000) } };
  const lease = op({ name: long.ref.name });
  await world.client.ask('POST', '/limits', batch([lease]));
  for (let round = 0; round < 60; round++) {
    const toggles = ['paused', 'open'].map((status) => ({ ...long, change: { status } }));
    await world.client.ask('POST', '/limits', batch(Array(25).fill(toggles).flat()));
  }
  await vi.waitFor(() => expect(world.clock.armed).toBe(idle - 1));
});

it('a second stream of a process replaces the first one', async () => {
  const world = await scene({});
  const [first, second] = [listen(world), listen(world)];
  await vi.waitFor(() => expect([first, second].map(({ lines }) => lines.length)).toEqual([1, 1]));
  await send(world, {}, { id: 'me.2' }, { verb: 'release' });
  await vi.waitFor(() => expect(first.lines.length + second.lines.length).toBe(3));
});

it('a server that closes ends its streams', async () => {
  const world = await scene({});
  const stream = listen(world);
  await vi.waitFor(() => expect(stream.lines).toHaveLength(1));
  await world.server.close();
  await vi.waitFor(() => expect(stream.isOver).toBe(true));
});

it('tokens are higher than those of an earlier server', async () => {
  const [{ fencing: earlier }] = await send(await scene({}), {});
  const [{ fencing: later }] = await send(await scene({}), {});
  expect(BigInt(later)).toBeGreaterThan(BigInt(earlier));
});

it('limits and leases beyond maxPeers are refused, and those that exist can be used and released', async () => {
  const world = await scene({}, { maxPeers: 2 });
  expect(await send(world, {})).toMatchObject([{ state: 'held' }]);
  const refused = (name: string) => ({
    refused: `the store counts at most 2 limits, keys and leases, and "${name}" has as many as are left`,
  });
  expect(await send(world, { id: 'me.2' }, { name: 'other' })).toEqual([
    refused('pdf'),
    refused('other'),
  ]);
  expect(await send(world, { verb: 'renew' })).toMatchObject([{ state: 'held' }]);
  expect(await send(world, { verb: 'release' }, { id: 'me.2' })).toMatchObject([
    { state: 'ok' },
    { state: 'held' },
  ]);
});

it('a flood of keys of one limit is bounded, and another limit is served', async () => {
  const world = await scene({}, { maxPeers: 100 });
  const flood = (keys: number) =>
    Array.from({ length: keys }, (_, key) => op({ id: `me.${key}`, key: `${key}` }));
  const answers = JSON.parse(
    (await world.client.ask('POST', '/limits', batch(flood(200)))).text,
  ) as object[];
  expect(answers.slice(0, 26).every((answer) => 'state' in answer)).toBe(true);
  expect(answers.slice(26).every((answer) => 'refused' in answer)).toBe(true);
  expect(await send(world, { name: 'other' })).toMatchObject([{ state: 'held' }]);
});

it('forgotten limits count no longer', async () => {
  const world = await scene({}, { maxPeers: 2 });
  await send(world, {});
  world.clock.advance(20_001);
  expect(await send(world, { name: 'other' })).toMatchObject([{ state: 'held' }]);
});

it.each([
  ['no JSON', '{', 400],
  ['no object', '[]', 422],
  ['no owner', batch([], { owner: undefined }), 422],
  ['an owner that is no id', batch([], { owner: 'a b' }), 422],
  ['a short lease', batch([], { leaseDuration: 99 }), 422],
  ['an endless lease', batch([], { leaseDuration: 1e13 }), 422],
  ['an unknown verb', batch([op({ verb: 'steal' })]), 422],
  ["another process's lease", batch([op({ id: 'you.1' })]), 422],
  ['a limit of 0', batch([op({ limit: 0 })]), 422],
  ['a weight of 0', batch([op({ lease: { weight: 0 } })]), 422],
  ['a weight that is no whole number', batch([op({ lease: { weight: 1.5 } })]), 422],
  ['a long name', batch([op({ name: 'x'.repeat(4_097) })]), 422],
  ['a place that is no number', batch([op({ lease: { place: '1; x' } })]), 422],
  ['a token that is no number', batch([op({ lease: { fencing: 5 } })]), 422],
  ['a negative number of tokens', batch([op({ lease: { extraTokens: -1 } })]), 422],
  [
    'an unknown state',
    batch([
      { verb: 'declare', ref: { name: 'pdf', limit: 1, version: '' }, change: { status: 'gone' } },
    ]),
    422,
  ],
])('a batch with %s is refused, and nothing changes', async (_, body, status) => {
  const world = await scene({});
  expect((await world.client.ask('POST', '/limits', body)).status).toBe(status);
  const { text } = await world.client.ask('POST', '/limits/stats', '{"name":"pdf"}');
  expect(JSON.parse(text)).toMatchObject({ version: '', inflight: 0, queued: 0 });
});

it.each([
  ['operations', Array(1_000).fill({})],
  ['leases', Array(1_000).fill({ verb: 'acquire', lease: { ref: {} } })],
  [
    'numbers',
    [{ verb: 'declare', ref: { name: 'pdf', limit: 1, declared: Array(1_000).fill(0) } }],
  ],
])('checking a batch of invalid %s stops at the first fault', async (_, ops) => {
  let faults = 0;
  v.setGlobalMessage(() => `fault ${++faults}`);
  onTestFinished(() => v.deleteGlobalMessage());
  const { client } = await scene({});
  expect((await client.ask('POST', '/limits', batch(ops))).status).toBe(422);
  expect(faults).toBeLessThan(20);
});

it('a batch above a megabyte is answered 413, and one that is no JSON 415', async () => {
  const { client } = await scene({});
  const ask = async (body: string, type: string) =>
    (await client.ask('POST', '/limits', body, { headers: { 'Content-Type': type } })).status;
  expect(await ask(batch([], { x: 'x'.repeat(1_100_000) }), 'application/json')).toBe(413);
  expect(await ask(batch([]), 'text/plain')).toBe(415);
});

it.each(['', 'owner=a%20b', 'owner=me&every=0', 'owner=me&every=1e9', 'owner=me&owner=you'])(
  'a stream with the query "%s" is answered 400',
  async (query) => {
    const { client } = await scene({});
    expect((await client.ask('GET', `/limits/messages?${query}`)).status).toBe(400);
  },
);

it('the routes need the token, if there is one', async () => {
  const { client } = await scene({}, { token: 'secret' });
  const answers = [
    await client.ask('POST', '/limits', batch([])),
    await client.ask('POST', '/limits/stats', '{"name":"pdf"}'),
    await client.ask('GET', '/limits/messages?owner=me'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
});
