import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { collectGarbage } from '@headgate/test-kit/collect-garbage';
import { expect, it, vi } from 'vitest';
import { limitFetch } from '../src/index.ts';
import { held, serve } from './server.ts';

const half = Buffer.alloc(100_000);

const pick = <T>(choices: readonly T[]): T =>
  choices[Math.floor(choices.length * Math.random())] as T;

/** Up to 6 ms, so that callers leave at each moment of a call. */
const briefly = () => delay(6 * Math.random());

type Answer = (res: ServerResponse) => unknown;

const complete: readonly Answer[] = [
  (res) => res.end('small'),
  (res) => res.write(half) && res.end(half),
  async (res) => {
    await briefly();
    res.write(half);
    await briefly();
    res.end(half);
  },
];

const failed: readonly Answer[] = [
  (res) => res.writeHead(503, { 'retry-after': '0' }).end('no'),
  (res) => res.writeHead(200, { 'content-length': 2 * half.length }).write(half) && res.destroy(),
  (res) => res.destroy(),
];

/** What callers do with a response. */
const uses: readonly ((response: Response) => unknown)[] = [
  (response) => response.text(),
  ({ body }) => body?.cancel(),
  (response) => Promise.all([response.clone().text(), response.text()]),
  async ({ body }) => {
    const reader = body?.getReader();
    await reader?.read();
    reader?.releaseLock();
  },
  // Collected as garbage.
  () => {},
];

it('callers that leave at random moments, and servers that fail at random, leave no permit and no listener', async () => {
  const url = await serve((_req, res) => void pick(Math.random() < 0.8 ? complete : failed)(res));
  const api = limitFetch(fetch, { limit: 8, tries: 3, timeout: 2_000, tryTimeout: 500 });
  const shared = new AbortController();
  const call = async () => {
    const own = new AbortController();
    void briefly().then(() => own.abort());
    const signal = pick([own.signal, shared.signal, undefined]);
    await pick(uses)(await api(url, signal && { signal }));
  };
  for (let round = 0; round < 60; round++) {
    const calls = Array.from({ length: 20 }, () => call().catch(() => {}));
    await Promise.race([Promise.all(calls), delay(30)]);
  }
  const settled = () => {
    collectGarbage();
    expect(held(api)).toBe(0);
  };
  await vi.waitFor(settled, { timeout: 20_000 });
  expect(getEventListeners(shared.signal, 'abort')).toEqual([]);
  expect(api.stats()[0]?.admitted).toBeGreaterThan(50);
});
