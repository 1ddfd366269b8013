import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { aimd, type LimitFactory, type Outcome } from '@headgate/core';
import { expect, it, vi } from 'vitest';
import { limitFetch } from '../src/index.ts';
import { held, serve } from './server.ts';

/** A limit of 8 that records the outcomes of its samples, of which `ignored` ones are none. */
function recording(): LimitFactory & { readonly outcomes: Outcome[] } {
  const outcomes: Outcome[] = [];
  const sample = ({ outcome }: { outcome: Outcome }) => void outcomes.push(outcome);
  return { outcomes, create: () => ({ limit: 8, sample }) };
}

const statuses = (): Promise<string> =>
  serve((req, res) => {
    const status = Number(req.url?.slice(1));
    if (req.url === '/reset') req.socket.destroy();
    else if (req.url === '/cut')
      res.writeHead(200, { 'content-length': 9 }).write('begun', () => res.destroy());
    else if (req.url !== '/hang') res.writeHead(status, { location: '/200' }).end('body');
  });

it.each<[string, RequestInit | (() => RequestInit), Outcome[]]>([
  ['/200', {}, ['ok']],
  ['/404', {}, ['ok']],
  ['/302', {}, ['ok']],
  ['/429', {}, ['dropped']],
  ['/500', {}, []],
  ['/501', {}, []],
  ['/502', {}, ['dropped']],
  ['/503', {}, ['dropped']],
  ['/504', {}, ['dropped']],
  ['/529', {}, ['dropped']],
  ['/reset', {}, ['dropped']],
  // The limit has seen the header already.
  ['/cut', {}, ['ok', 'dropped']],
  ['/hang', () => ({ signal: AbortSignal.timeout(50) }), ['dropped']],
  ['/302', { redirect: 'error' }, []],
  ['/302', { redirect: 'manual' }, ['ok']],
  ['/200', { headers: { 'invalid name': '' } }, []],
  ['/200', { method: 'TRACE' }, []],
])('what the limit learns from %s %o: %j', async (path, init, expected) => {
  const limit = recording();
  const api = limitFetch(fetch, { limit });
  const url = (await statuses()) + path;
  await api(url, typeof init === 'function' ? init() : init)
    .then((response) => response.text())
    .catch(() => {});
  await vi.waitFor(() => expect(held(api)).toBe(0));
  expect(limit.outcomes).toEqual(expected);
});

it('a refused connection counts as overload', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const limit = recording();
  const api = limitFetch(fetch, { limit });
  await expect(api(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
  expect(limit.outcomes).toEqual(['dropped']);
});

it.each([
  ['Bun', Object.assign(new Error('Unable to connect.'), { code: 'ConnectionRefused' })],
  [
    'Deno',
    new TypeError('error sending request: tcp connect error: Connection refused (os error 111)'),
  ],
  ['Workers', new Error('Network connection lost.')],
])('a lost connection is overload on %s', async (_, error) => {
  const limit = recording();
  const api = limitFetch(() => Promise.reject(error), { limit });
  await expect(api('http://a/')).rejects.toBe(error);
  expect(limit.outcomes).toEqual(['dropped']);
});

/** Calls one after the other, with the given answers. */
async function limitsAfter(
  limit: number | LimitFactory,
  answers: readonly (number | Error)[],
): Promise<(number | undefined)[]> {
  let index = 0;
  const api = limitFetch(
    async () => {
      const answer = answers[index++] as number | Error;
      if (typeof answer === 'number') return new Response(null, { status: answer });
      throw answer;
    },
    { limit },
  );
  const limits = [];
  for (const _ of answers) {
    await api('http://a/').catch(() => {});
    limits.push(api.stats()[0]?.limit);
  }
  return limits;
}

const bug = new TypeError('invalid');

it('after five failures in a row the limit is 1, and each answer doubles it up to what it was', async () => {
  const failures = [503, 503, 429, 502, 504, 503];
  expect(await limitsAfter(10, [...failures, 200, 404, 500, 200, 200])).toEqual([
    ...[10, 10, 10, 10, 1, 1],
    ...[2, 4, 8, 10, 10],
  ]);
});

it('an answer ends the failures in a row; an error of the caller does not', async () => {
  expect(await limitsAfter(10, [503, 503, 503, 503, 500, 503])).not.toContain(1);
  expect((await limitsAfter(10, [503, 503, bug, 503, 503, bug, 503])).at(-1)).toBe(1);
});

it('five failures while it rises set the limit to 1 again, and the limit before is not forgotten', async () => {
  const five = [503, 503, 503, 503, 503];
  const limits = await limitsAfter(7, [...five, 200, 200, ...five, 200, 200, 200]);
  expect(limits.slice(5)).toEqual([2, 4, 4, 4, 4, 4, 1, 2, 4, 7]);
});

it('an adaptive limit continues from its own value', async () => {
  const limits = await limitsAfter(
    aimd({ initial: 20 }),
    [503, 503, 503, 503, 503, 200, 200, 200, 200],
  );
  expect(limits.slice(3)).toEqual([12, 1, 2, 4, 8, 12]);
});
