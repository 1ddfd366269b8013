import { getEventListeners, once } from 'node:events';
import { aRound } from '@headgate/test-suite/kit';
import { expect, it, vi } from 'vitest';
import { limitFetch } from '../src/index.ts';
import { held, serve } from './server.ts';

const LARGE = Buffer.alloc(1_000_000);

/** Answers `/hang` never, `/begun` with the start of a body, and everything else completely. */
const origin = () =>
  serve((req, res) => {
    if (req.url === '/begun') res.writeHead(200).write('begun');
    else if (req.url === '/large') res.end(LARGE);
    else if (req.url !== '/hang') res.end('complete');
  });

/** What a call does until the caller aborts it, in the order of a call. */
const moments: [string, (url: string, signal: AbortSignal) => Promise<unknown>][] = [
  ['before the headers', (url, signal) => api(`${url}/hang`, { signal })],
  ['while the body is read', async (url, signal) => (await api(`${url}/begun`, { signal })).text()],
  [
    'while nothing reads the body',
    async (url, signal) => {
      const response = await api(`${url}/large`, { signal });
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return response.text();
    },
  ],
];
let api = limitFetch(fetch, { limit: 4 });

it.each(moments)('the caller aborts %s', async (_, call) => {
  api = limitFetch(fetch, { limit: 4, timeout: 10_000, tryTimeout: 9_000, tries: 3 });
  const controller = new AbortController();
  const result = call(await origin(), controller.signal);
  const failed = expect(result).rejects.toThrow('left');
  await vi.waitFor(() => expect(held(api)).toBe(1));
  await aRound();
  controller.abort(new Error('left'));
  await failed;
  await vi.waitFor(() => expect(held(api)).toBe(0));
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});

it('a signal that has aborted sends nothing', async () => {
  const send = vi.fn(fetch);
  const limited = limitFetch(send, { limit: 1 });
  const signal = AbortSignal.abort(new Error('left'));
  await expect(limited(await origin(), { signal })).rejects.toThrow('left');
  await expect(limited(new Request(await origin(), { signal }))).rejects.toThrow();
  expect(send).not.toHaveBeenCalled();
  expect(held(limited)).toBe(0);
});

it('a waiter whose caller aborts leaves the queue', async () => {
  const limited = limitFetch(fetch, { limit: 1 });
  const url = await origin();
  const first = await limited(`${url}/large`);
  const controller = new AbortController();
  const second = limited(url, { signal: controller.signal });
  await vi.waitFor(() => expect(held(limited)).toBe(2));
  controller.abort(new Error('left'));
  await expect(second).rejects.toThrow('left');
  expect(held(limited)).toBe(1);
  await first.body?.cancel();
  await vi.waitFor(() => expect(held(limited)).toBe(0));
});

it('the caller aborts between two tries', async () => {
  const limited = limitFetch(fetch, { limit: 1, tries: 2 });
  const url = await serve((_req, res) => res.writeHead(503, { 'retry-after': '30' }).end());
  const controller = new AbortController();
  const call = limited(url, { signal: controller.signal });
  const failed = expect(call).rejects.toThrow('left');
  await vi.waitFor(() => expect(limited.stats()[0]?.admitted).toBe(1));
  await vi.waitFor(() => expect(held(limited)).toBe(0));
  controller.abort(new Error('left'));
  await failed;
});

it.each<[string, (signal: AbortSignal) => Promise<Response>]>([
  ['run', (signal) => once(signal, 'abort').then(() => Promise.reject(signal.reason))],
  [
    'wait for another try',
    async () => new Response(null, { status: 503, headers: { 'retry-after': '30' } }),
  ],
])('one listener serves all calls of a signal that %s', async (_, answer) => {
  const controller = new AbortController();
  const { signal } = controller;
  const send = vi.fn<typeof fetch>((_url, init) => answer(init?.signal as AbortSignal));
  const limited = limitFetch(send, { limit: 4, tryTimeout: 100_000, tries: 2 });
  const calls = Array.from({ length: 4 }, () => limited('http://server/', { signal }));
  const failed = Promise.all(calls.map((call) => expect(call).rejects.toThrow('left')));
  await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(4));
  await aRound();
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  controller.abort(new Error('left'));
  await failed;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('an abort after the end of the response has no effect', async () => {
  const limited = limitFetch(fetch, { limit: 1, timeout: 1_000 });
  const controller = new AbortController();
  const response = await limited(await origin(), { signal: controller.signal });
  expect(await response.text()).toBe('complete');
  controller.abort();
  expect(held(limited)).toBe(0);
});

it.each([
  ['timeout', { timeout: 50 }],
  ['tryTimeout', { tryTimeout: 50 }],
])(
  'the error of %s names the option and the origin, and no secrets of the URL',
  async (option, times) => {
    const limited = limitFetch(fetch, { limit: 1, ...times });
    const url = await origin();
    const message = `${url}: ${option} of 50 ms has passed`;
    for (const input of [`${url}/hang`, new Request(`${url}/hang`)])
      await expect(limited(input)).rejects.toMatchObject({ name: 'TimeoutError', message });
    expect(held(limited)).toBe(0);
  },
);

it('the timeout of a call includes its wait in the queue', async () => {
  const limited = limitFetch(fetch, { limit: 1, timeout: 50 });
  const url = await origin();
  const first = limited(`${url}/hang`).catch((error) => error.name);
  const second = limited(url).catch((error) => error.name);
  expect(await Promise.all([first, second])).toEqual(['TimeoutError', 'TimeoutError']);
  expect(held(limited)).toBe(0);
});

it('a call that waits for longer than queueTimeout is rejected', async () => {
  const limited = limitFetch(fetch, { limit: 1, queueTimeout: 50 });
  const url = await origin();
  const first = await limited(`${url}/large`);
  await expect(limited(url)).rejects.toMatchObject({
    code: 'ERR_HEADGATE_REJECTED',
    rejection: { reason: 'timeout', limitName: url },
    status: 503,
  });
  await first.body?.cancel();
  await vi.waitFor(() => expect(held(limited)).toBe(0));
});
