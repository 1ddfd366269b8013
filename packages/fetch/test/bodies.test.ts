import { collectGarbage } from '@headgate/test-kit/collect-garbage';
import { Latch, VirtualClock } from '@headgate/test-suite';
import { aRound } from '@headgate/test-suite/kit';
import { expect, it, vi } from 'vitest';
import { limitFetch } from '../src/index.ts';
import { held, serve } from './server.ts';

const LARGE = 1_000_000;

/** A server with a page for each kind of response. */
const origin = () =>
  serve((req, res) => {
    const { pathname } = new URL(req.url as string, 'http://server');
    if (pathname === '/small') res.end('small');
    if (pathname === '/large') res.end(Buffer.alloc(LARGE));
    if (pathname === '/stalled') res.writeHead(200).write('begun');
    if (pathname === '/stalled-large') res.writeHead(200).write(Buffer.alloc(LARGE));
    if (pathname === '/none') res.writeHead(204).end();
    if (pathname === '/unchanged') res.writeHead(304).end();
    if (pathname === '/moved') res.writeHead(302, { location: '/small' }).end('moved');
    if (pathname === '/moved-without-body') res.writeHead(302, { location: '/small' }).end();
    if (pathname === '/cut') {
      res.writeHead(200, { 'content-length': '100' }).write('begun');
      setImmediate(() => res.destroy());
    }
    if (pathname === '/reset') req.socket.destroy();
  });

const limited = () => limitFetch(fetch, { limit: 4 });

it('a response is read as that of fetch', async () => {
  const api = limited();
  const url = await origin();
  const response = await api(`${url}/moved`);
  const plain = await fetch(`${url}/moved`);
  for (const name of [
    'url',
    'redirected',
    'type',
    'status',
    'statusText',
    'ok',
    'bodyUsed',
  ] as const)
    expect(response[name], name).toBe(plain[name]);
  // Another suite in this process may have replaced the global Response.
  expect(response).toBeInstanceOf(plain.constructor);
  expect([...response.headers.keys()]).toEqual([...plain.headers.keys()]);
  const clone = response.clone();
  expect([clone.url, clone.redirected, clone.type]).toEqual([plain.url, true, 'basic']);
  expect([await response.text(), await clone.text()]).toEqual(['small', 'small']);
  expect(held(api)).toBe(0);
});

it.each([
  ['text', (response: Response) => response.text()],
  ['arrayBuffer', (response: Response) => response.arrayBuffer()],
  ['blob', (response: Response) => response.blob()],
  [
    'a stream',
    async ({ body }: Response) => {
      let size = 0;
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) size += chunk.length;
      expect(size).toBe(LARGE);
    },
  ],
  ['cancel', ({ body }: Response) => body?.cancel()],
])('a large body holds its permit until it has ended: %s', async (_, end) => {
  const api = limited();
  const response = await api(`${await origin()}/large`);
  await aRound();
  expect(held(api)).toBe(1);
  await end(response);
  await vi.waitFor(() => expect(held(api)).toBe(0));
});

it('a stopped reader ends the response', async () => {
  const api = limited();
  const { body } = await api(`${await origin()}/large`);
  for await (const _ of body as unknown as AsyncIterable<Uint8Array>) break;
  await vi.waitFor(() => expect(held(api)).toBe(0));
});

it.each([
  ['a small body that nothing reads', '/small', {}],
  ['HEAD', '/large', { method: 'HEAD' }],
  ['204', '/none', {}],
  ['304', '/unchanged', {}],
  ['a redirect that is not followed', '/moved', { redirect: 'manual' }],
  ['a redirect without a body', '/moved-without-body', { redirect: 'manual' }],
] as [string, string, RequestInit][])('%s releases its permit', async (_, path, init) => {
  const api = limited();
  const response = await api((await origin()) + path, init);
  await vi.waitFor(() => expect(held(api)).toBe(0));
  expect(response.bodyUsed).toBe(false);
});

it('a body that was received ahead can be read later', async () => {
  const api = limited();
  const response = await api(`${await origin()}/small`);
  await vi.waitFor(() => expect(held(api)).toBe(0));
  expect(await response.text()).toBe('small');
});

it.each(['/cut', '/reset'])('a connection that is lost releases the permit: %s', async (path) => {
  const api = limited();
  const url = await origin();
  await expect(api(url + path).then((response) => response.text())).rejects.toThrow(TypeError);
  expect(held(api)).toBe(0);
});

it('a kept connection that the server resets releases the permit', async () => {
  const api = limited();
  const ports: (number | undefined)[] = [];
  const url = await serve((req, res) => {
    ports.push(req.socket.remotePort);
    if (ports.length === 2) req.socket.resetAndDestroy();
    else res.end('answered');
  });
  expect(await (await api(url)).text()).toBe('answered');
  // Until a round has passed, undici opens another connection.
  await aRound();
  await expect(api(url)).rejects.toThrow('fetch failed');
  expect(await (await api(url)).text()).toBe('answered');
  expect(ports[1]).toBe(ports[0]);
  expect(held(api)).toBe(0);
});

it('a body that stalls fails when the call times out, and releases its permit', async () => {
  const clock = new VirtualClock();
  const api = limitFetch(fetch, { limit: 4, timeout: 100, clock });
  const url = await origin();
  const read = (await api(`${url}/stalled`)).text();
  const unread = await api(`${url}/stalled-large`);
  clock.advance(100);
  await expect(read).rejects.toMatchObject({ name: 'TimeoutError' });
  await vi.waitFor(() => expect(held(api)).toBe(0));
  await expect(unread.text()).rejects.toMatchObject({ name: 'TimeoutError' });
});

it('tryTimeout does not limit the time of a body', async () => {
  const clock = new VirtualClock();
  const api = limitFetch(fetch, { limit: 4, tryTimeout: 40, clock });
  const late = new Latch();
  const url = await serve(async (_req, res) => {
    res.writeHead(200).flushHeaders();
    await late.opened;
    res.end('late');
  });
  const response = await api(url);
  clock.advance(1_000);
  late.open();
  expect(await response.text()).toBe('late');
});

it.each(['/large', '/stalled', '/stalled-large'])(
  'a body that is collected as garbage releases its permit: %s',
  async (path) => {
    const api = limited();
    const url = await origin();
    const call = async () => {
      const { status } = await api(url + path);
      await aRound();
      expect(held(api)).toBe(1);
      return status;
    };
    expect(await call()).toBe(200);
    await vi.waitFor(() => {
      collectGarbage();
      expect(held(api)).toBe(0);
    });
  },
);

it('a body that is being read is not collected', async () => {
  const api = limited();
  const url = await serve((_req, res) => {
    res.writeHead(200).write('begun ');
    setTimeout(() => res.end('ended'), 150);
  });
  const text = api(url).then((response) => response.text());
  for (let i = 0; i < 10; i++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
  }
  expect(await text).toBe('begun ended');
});

it('a status that the constructor of Response does not allow is kept', async () => {
  const api = limited();
  const response = await api(await serve((_req, res) => res.writeHead(999).end('odd')));
  expect([response.status, response.ok, await response.text()]).toEqual([999, false, 'odd']);
  expect(held(api)).toBe(0);
});

it('a response that cannot be copied rejects the call, and releases its permit', async () => {
  const headers = {
    get() {
      throw new TypeError('no headers');
    },
  };
  const odd = Object.defineProperty(new Response('odd'), 'headers', headers);
  const api = limitFetch(async () => odd, { limit: 1 });
  await expect(api('http://server/')).rejects.toThrow(TypeError);
  await vi.waitFor(() => expect(held(api)).toBe(0));
  expect(Object.keys(api.limiters)).toHaveLength(1);
});

it('a response without a stream of its own is passed on', async () => {
  const used = new Response('used');
  used.body?.getReader();
  const api = limitFetch(async () => used, { limit: 1 });
  expect(await api('http://server/')).toBe(used);
  expect(held(api)).toBe(0);
});
