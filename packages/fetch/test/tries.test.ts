import { type Clock, systemClock } from '@headgate/core';
import { describe, expect, it, vi } from 'vitest';
import { limitFetch, RetryBudget } from '../src/index.ts';
import { held, serve } from './server.ts';

/** A clock whose timers fire at once, and that records their delays. */
function instant(): Clock & { readonly delays: number[] } {
  const delays: number[] = [];
  return {
    ...systemClock,
    delays,
    random: () => 0.5,
    setTimeout: (callback, delay) => {
      delays.push(delay);
      return systemClock.setTimeout(callback, 0);
    },
  };
}

/** A server that fails with the headers at its first requests. */
async function failing(
  times: number,
  headers: Record<string, string | string[]> = {},
  status = 503,
) {
  const bodies: string[] = [];
  const url = await serve(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    bodies.push(body);
    if (bodies.length > times) res.end('answered');
    else res.writeHead(status, headers).end('failed');
  });
  return { url, bodies };
}

describe('tries', () => {
  it('there is one by default', async () => {
    const { url, bodies } = await failing(1);
    const api = limitFetch(fetch, { limit: 1 });
    expect((await api(url)).status).toBe(503);
    expect(bodies).toHaveLength(1);
  });

  it('follow each other after random delays that double', async () => {
    const clock = instant();
    const { url, bodies } = await failing(3);
    const api = limitFetch(fetch, { limit: 1, tries: 4, clock });
    expect(await (await api(url)).text()).toBe('answered');
    expect(clock.delays).toEqual([100, 200, 400]);
    expect(bodies).toHaveLength(4);
    expect(held(api)).toBe(0);
  });

  it('end with the last answer', async () => {
    const { url, bodies } = await failing(9);
    const api = limitFetch(fetch, { limit: 1, tries: 3, clock: instant() });
    const response = await api(url);
    expect([response.status, await response.text()]).toEqual([503, 'failed']);
    expect(bodies).toHaveLength(3);
    expect(held(api)).toBe(0);
  });

  it('follow a connection that is lost, and end with its error', async () => {
    let requests = 0;
    const url = await serve((req) => {
      requests++;
      req.socket.destroy();
    });
    const api = limitFetch(fetch, { limit: 1, tries: 3, clock: instant() });
    await expect(api(url)).rejects.toThrow('fetch failed');
    expect(requests).toBe(3);
    expect(held(api)).toBe(0);
  });

  it.each<[string, RequestInit, number, number]>([
    ['PUT with a text', { method: 'PUT', body: 'text' }, 503, 2],
    ['DELETE', { method: 'DELETE' }, 503, 2],
    ['POST', { method: 'POST', body: 'text' }, 503, 1],
    [
      'a stream',
      { method: 'PUT', body: new Blob(['text']).stream(), duplex: 'half' } as never,
      503,
      1,
    ],
    ['a 500', {}, 500, 1],
    ['a 404', {}, 404, 1],
  ])('depend on the request and the answer: %s', async (_, init, status, tries) => {
    const { url, bodies } = await failing(1, {}, status);
    const api = limitFetch(fetch, { limit: 1, tries: 2, clock: instant() });
    await api(url, init);
    expect(bodies).toEqual(Array(tries).fill(init.body === undefined ? '' : 'text'));
  });

  it('do not send the body of a Request again', async () => {
    const { url, bodies } = await failing(1);
    const api = limitFetch(fetch, { limit: 1, tries: 2, clock: instant() });
    await api(new Request(url, { method: 'PUT', body: 'text' }));
    expect(bodies).toEqual(['text']);
    await api(new Request(url));
    expect(bodies).toHaveLength(2);
  });

  it('end before the timeout of the call', async () => {
    const { url, bodies } = await failing(1, { 'retry-after': '2' });
    const api = limitFetch(fetch, { limit: 1, tries: 2, timeout: 1_000 });
    expect((await api(url)).status).toBe(503);
    expect(bodies).toHaveLength(1);
  });

  it('are rejected like any other call if the limit rejects all', async () => {
    const { url } = await failing(1);
    const api = limitFetch(fetch, { limit: 1, tries: 2, clock: instant() });
    const pending = api(url);
    await vi.waitFor(() => expect(api.stats()[0]?.admitted).toBe(1));
    api.limiters[url]?.rejectAll();
    await expect(pending).rejects.toMatchObject({ rejection: { reason: 'closed' } });
    expect(held(api)).toBe(0);
  });
});

describe('the pause that a server asks for', () => {
  const soon = () => new Date(Date.now() + 20_000).toUTCString();
  const past = () => new Date(Date.now() - 20_000).toUTCString();

  it.each<[string, Record<string, string | string[]>, number | undefined]>([
    ['seconds', { 'retry-after': '3' }, 3_100],
    ['milliseconds', { 'retry-after-ms': '40', 'retry-after': '0' }, 140],
    ['two values', { 'retry-after': ['1', '2'] }, 2_100],
    ['negative', { 'retry-after': '-5' }, 100],
    ['not a time', { 'retry-after': 'soon' }, 100],
    ['a date that has passed', { 'retry-after': past() }, 100],
    ['too long', { 'retry-after': '1e9' }, undefined],
    ['longer than maxPause', { 'retry-after': '61' }, undefined],
    [
      'OpenAI, used up',
      { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1m30.5s' },
      undefined,
    ],
    [
      'OpenAI, milliseconds',
      { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '20ms' },
      120,
    ],
    [
      'OpenAI, not used up',
      { 'x-ratelimit-remaining-tokens': '1', 'x-ratelimit-reset-tokens': '50s' },
      100,
    ],
  ])('%s', async (_, headers, expected) => {
    const clock = instant();
    const { url, bodies } = await failing(1, headers, 429);
    const api = limitFetch(fetch, { limit: 1, tries: 2, clock });
    await (await api(url)).text();
    expect(clock.delays).toEqual(expected === undefined ? [] : [expected]);
    expect(bodies).toHaveLength(expected === undefined ? 1 : 2);
    expect(held(api)).toBe(0);
  });

  it.each([
    ['Retry-After', () => ({ 'retry-after': soon() })],
    [
      'Anthropic',
      () => ({
        'anthropic-ratelimit-tokens-remaining': '0',
        'anthropic-ratelimit-tokens-reset': soon(),
      }),
    ],
  ])('a date: %s', async (_, headers) => {
    const clock = instant();
    const { url } = await failing(1, headers());
    await limitFetch(fetch, { limit: 1, tries: 2, clock })(url);
    expect(clock.delays[0]).toBeGreaterThan(17_000);
    expect(clock.delays[0]).toBeLessThanOrEqual(20_100);
  });
});

describe('a RetryBudget', () => {
  it('has a reserve, and grows by a part of each success', () => {
    const budget = new RetryBudget({ ratio: 0.5, reserve: 2 });
    budget.succeeded();
    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
    budget.succeeded();
    expect(budget.take()).toBe(false);
    budget.succeeded();
    expect(budget.take()).toBe(true);
  });

  it.each([{ ratio: 0 }, { ratio: 1.1 }, { ratio: Number.NaN }, { reserve: 0.5 }])(
    'rejects %o',
    (options) => {
      expect(() => new RetryBudget(options)).toThrow(Object.keys(options)[0]);
    },
  );

  it('limits the tries of all that share it; without one, each origin has its own', async () => {
    const send = vi.fn(async () => new Response(null, { status: 503 }));
    const call = async (budget?: RetryBudget) => {
      send.mockClear();
      const api = limitFetch(send, { limit: 1, tries: 2, budget, clock: instant() });
      for (let i = 0; i < 30; i++) await api(`http://${i % 2}/`);
      return send.mock.calls.length;
    };
    const shared = new RetryBudget();
    expect(await call(shared)).toBe(40);
    expect(await call(shared)).toBe(30);
    expect(await call()).toBe(50);
  });
});

describe('deadlineHeader', () => {
  it.each([
    ['timeout', { timeout: 9_000 }, 9_000],
    ['the shorter of both', { timeout: 9_000, tryTimeout: 5_000 }, 5_000],
    ['no timeout', {}, undefined],
  ])('carries the time that is left: %s', async (_, times, expected) => {
    let received: string | undefined;
    const url = await serve((req, res) => {
      received = req.headers['x-timeout-ms'] as string | undefined;
      res.end(req.headers.other);
    });
    const api = limitFetch(fetch, { limit: 1, deadlineHeader: 'x-timeout-ms', ...times });
    for (const [input, init] of [
      [url, { headers: { other: 'kept' } }],
      [new Request(url, { headers: { other: 'kept' } }), undefined],
    ] as const) {
      expect(await (await api(input, init)).text()).toBe('kept');
      if (expected === undefined) expect(received).toBeUndefined();
      else {
        expect(Number(received)).toBeGreaterThan(expected - 2_000);
        expect(Number(received)).toBeLessThanOrEqual(expected);
      }
    }
  });
});
