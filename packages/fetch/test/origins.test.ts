import type { Limiter } from '@headgate/core';
import { instrument as instrumentOpenTelemetry } from '@headgate/opentelemetry';
import { instrument } from '@headgate/prometheus';
import { collectGarbage } from '@headgate/test-kit/collect-garbage';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { Registry } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import { limitFetch } from '../src/index.ts';
import { held, serve } from './server.ts';

const empty = async () => new Response(null);

describe('a limit for each origin', () => {
  it('holds, whatever form the URL has', async () => {
    let running = 0;
    let most = 0;
    const url = await serve((_req, res) => {
      most = Math.max(most, ++running);
      setTimeout(() => {
        running--;
        res.end('done');
      }, 20);
    });
    const api = limitFetch(fetch, { limit: 2 });
    const forms = [
      url,
      new URL(url),
      new Request(url),
      new Request(url, { method: 'POST', body: 'a' }),
    ];
    const calls = forms.flatMap((form) => [api(form), api(form instanceof Request ? url : form)]);
    for (const call of calls) call.then((response) => response.text());
    await Promise.all(calls);
    expect(most).toBe(2);
    expect(Object.keys(api.limiters)).toEqual([url]);
    expect(api.stats().map(({ name, admitted }) => [name, admitted])).toEqual([[url, 8]]);
    await vi.waitFor(() => expect(held(api)).toBe(0));
  });

  it('passes the arguments of a call on unchanged', async () => {
    const send = vi.fn(empty);
    const api = limitFetch(send, { limit: 1 });
    const init = { method: 'POST', body: 'a', dispatcher: {} } as RequestInit;
    await api('http://a/', init);
    expect(send.mock.lastCall).toEqual(['http://a/', init]);
    const request = new Request('http://a/');
    await api(request);
    expect((send.mock.lastCall as unknown[])[0]).toBe(request);
  });

  it('has the name that key returns', async () => {
    const api = limitFetch(empty, {
      limit: 1,
      key: ({ url, method, headers }) =>
        `${method} ${new URL(url).pathname} ${headers.get('tenant')}`,
    });
    await api('http://a/x', {
      method: 'POST',
      body: new ReadableStream(),
      headers: { tenant: 'b' },
    });
    await api(new Request('http://a/y', { headers: { tenant: 'c' } }));
    expect(Object.keys(api.limiters)).toEqual(['POST /x b', 'GET /y c']);
  });

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('no key');
      },
      'no key',
    ],
    ['returns no string', () => undefined, 'key must be a string that is not empty'],
    ['returns a promise', async () => 'a', 'key must be a string that is not empty'],
  ])('a call whose key %s is rejected', async (_, key, message) => {
    const send = vi.fn(empty);
    const api = limitFetch(send, { limit: 1, key: key as () => string });
    await expect(api('http://a/')).rejects.toThrow(message);
    expect(send).not.toHaveBeenCalled();
    expect(api.stats()).toEqual([]);
  });

  it('a URL that is invalid rejects the call with a TypeError', async () => {
    const api = limitFetch(fetch, { limit: 1 });
    await expect(api('/relative')).rejects.toThrow(TypeError);
    expect(api.stats()).toEqual([]);
  });
});

describe('the number of origins', () => {
  it('is bounded: those that were idle for longest are forgotten and closed', async () => {
    const limiters: Limiter[] = [];
    const api = limitFetch(empty, { limit: 1, onLimiter: (limiter) => limiters.push(limiter) });
    for (let i = 0; i < 1_001; i++) await api(`http://origin-${i}/`);
    const names = Object.keys(api.limiters);
    expect(names).toHaveLength(1_000);
    expect(names).not.toContain('http://origin-0');
    expect(limiters.filter(({ closed }) => closed).map(({ name }) => name)).toEqual([
      'http://origin-0',
    ]);
    await api('http://origin-1/');
    await api('http://new/');
    expect(Object.keys(api.limiters)).toContain('http://origin-1');
    expect(limiters[2]?.closed).toBe(true);
  });

  it('may be exceeded by origins in use', async () => {
    const ends: ((response: Response) => void)[] = [];
    const api = limitFetch(() => new Promise((resolve) => ends.push(resolve)), { limit: 1 });
    const calls = Array.from({ length: 1_500 }, (_, i) => api(`http://origin-${i}/`));
    await vi.waitFor(() => expect(ends).toHaveLength(1_500));
    expect(api.stats()).toHaveLength(1_500);
    for (const end of ends) end(new Response(null));
    await Promise.all(calls);
    expect(api.stats()).toHaveLength(1_000);
    expect(held(api)).toBe(0);
  });

  it('of 100,000 leaves no memory behind', async () => {
    const api = limitFetch(empty, { limit: 1 });
    const call = async (from: number, to: number) => {
      for (let i = from; i < to; i++) await api(`http://origin-${i}/`);
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = await call(0, 2_000);
    const after = await call(2_000, 100_000);
    expect(after - before).toBeLessThan(2_000_000);
    expect(api.stats()).toHaveLength(1_000);
  }, 120_000);
});

describe('limitFetch()', () => {
  it('rejects a fetch that is limited already', () => {
    const api = limitFetch(empty, { limit: 1 });
    expect(() => limitFetch(api, { limit: 1 })).toThrow(
      expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option: 'fetch' }),
    );
  });

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 1, queueTimeout: -1 }, 'queueTimeout'],
    [{ limit: 1, key: 'a' }, 'key'],
    [{ limit: 1, onLimiter: {} }, 'onLimiter'],
    [{ limit: 1, timeout: '1s' }, 'timeout'],
    [{ limit: 1, tryTimeout: Number.NaN }, 'tryTimeout'],
    [{ limit: 1, tries: 0 }, 'tries'],
    [{ limit: 1, budget: {} }, 'budget'],
    [{ limit: 1, maxPause: -1 }, 'maxPause'],
    [{ limit: 1, deadlineHeader: 'not a name' }, 'deadlineHeader'],
    [{ limit: 1, clock: {} }, 'clock'],
  ])('names an option that is invalid: %o', (options, option) => {
    expect(() => limitFetch(empty, options as never)).toThrow(
      expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option }),
    );
  });

  it('names an option that does not exist, and a fetch that is no function', () => {
    expect(() => limitFetch(empty, { limit: 1, retries: 3 } as never)).toThrow(
      'no option "retries"',
    );
    expect(() => limitFetch({} as never, { limit: 1 })).toThrow('fetch must be a function');
  });
});

describe('onLimiter', () => {
  it('lets an app instrument each origin; the series of a forgotten one end', async () => {
    const register = new Registry();
    const api = limitFetch(empty, {
      limit: 3,
      onLimiter: (limiter) => instrument(limiter, { register }),
    });
    for (let i = 0; i < 1_002; i++) await api(`http://origin-${i}/`);
    const text = await register.metrics();
    expect(text).toContain('headgate_limit{headgate_limit_name="http://origin-1001"} 3');
    const series = (await register.metrics()).match(/^headgate_limit\{/gm);
    expect(series).toHaveLength(1_000);
  });

  it('lets an app instrument each origin with OpenTelemetry', async () => {
    const reader = new (class extends MetricReader {
      protected async onForceFlush() {}
      protected async onShutdown() {}
    })();
    const meter = new MeterProvider({ readers: [reader] }).getMeter('test');
    const onLimiter = (limiter: Limiter) => void instrumentOpenTelemetry(limiter, { meter });
    const api = limitFetch(empty, { limit: 3, onLimiter });
    await api('http://a/');
    await api('http://b/');
    const { resourceMetrics } = await reader.collect();
    const [{ metrics } = { metrics: [] }] = resourceMetrics.scopeMetrics;
    const limits = metrics.find(({ descriptor }) => descriptor.name === 'headgate.limit');
    expect(
      limits?.dataPoints.map(({ attributes, value }) => [attributes['headgate.limit.name'], value]),
    ).toEqual([
      ['http://a', 3],
      ['http://b', 3],
    ]);
  });

  it('rejects the call if it throws, and is called again by the next one', async () => {
    const onLimiter = vi.fn(() => {
      throw new Error('no metrics');
    });
    const api = limitFetch(empty, { limit: 1, onLimiter });
    for (const times of [1, 2]) {
      await expect(api('http://a/')).rejects.toThrow('no metrics');
      expect(onLimiter).toHaveBeenCalledTimes(times);
    }
    expect(api.stats()).toEqual([]);
  });
});
