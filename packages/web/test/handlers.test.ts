import { counts, Latch } from '@headgate/test-suite';
import { admissionOf, type ConcurrencyLimitOptions, concurrencyLimit } from '@headgate/web';
import { afterEach, describe, expect, it } from 'vitest';

const limits: ReturnType<typeof concurrencyLimit>[] = [];

afterEach(async () => {
  for (const limit of limits.splice(0)) await counts(limit, 0, 0);
});

function limitOf(options: Partial<ConcurrencyLimitOptions> = {}) {
  const limit = concurrencyLimit({ limit: 1, ...options } as ConcurrencyLimitOptions);
  limits.push(limit);
  return limit;
}

const get = (init?: RequestInit) => new Request('http://localhost/', init);

/** A body whose chunks the test writes. */
function source() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const write = (text: string) => writer.write(new TextEncoder().encode(text));
  return { readable, write, close: () => writer.close(), fail: (why: Error) => writer.abort(why) };
}

describe('a limited handler', () => {
  it('gets the request and all further arguments, and its response is returned', async () => {
    const limit = limitOf();
    const seen: unknown[] = [];
    const handler = limit.wrap((request: Request, server: string, info: { id: number }) => {
      seen.push(request, server, info, admissionOf(request).permit?.weight);
      return new Response('done', { status: 201, statusText: 'Made', headers: { 'X-Own': 'yes' } });
    });
    const request = get();
    const response = await handler(request, 'server', { id: 1 });
    expect(seen).toEqual([request, 'server', { id: 1 }, 1]);
    expect([response.status, response.statusText]).toEqual([201, 'Made']);
    expect(response.headers.get('x-own')).toBe('yes');
    expect(await response.text()).toBe('done');
  });

  it('rejects with what it throws synchronously', async () => {
    const handler = limitOf().wrap(() => {
      throw new Error('broken');
    });
    for (const _ of [1, 2]) await expect(handler(get())).rejects.toThrow('broken');
  });

  it('keeps the signal of the permit unaborted when it throws', async () => {
    let signal: AbortSignal | undefined;
    const handler = limitOf().wrap((request: Request) => {
      signal = admissionOf(request).permit?.signal;
      return Promise.reject(new Error('broken'));
    });
    await expect(handler(get())).rejects.toThrow('broken');
    expect(signal?.aborted).toBe(false);
  });

  it('has no admission without a limit', () => {
    expect(admissionOf(get())).toEqual({ permit: undefined, waited: 0, rejection: undefined });
  });

  it('is called with the rejection in its admission if onReject calls next', async () => {
    const limit = limitOf({ onReject: (_, request, next) => next(request) });
    const release = new Latch();
    const handler = limit.wrap(async (request: Request) => {
      const { rejection } = admissionOf(request);
      if (rejection === undefined) await release.opened;
      return new Response(rejection?.reason ?? 'admitted');
    });
    await limit.close({ timeout: 0 });
    expect(await (await handler(get())).text()).toBe('closed');
  });
});

describe('the permit', () => {
  it('is held until the body has been read to the end', async () => {
    const limit = limitOf();
    const { readable, write, close } = source();
    const response = await limit(get(), () => new Response(readable));
    const text = response.text();
    await write('one ');
    expect(limit.holders).toBe(1);
    await write('two');
    await close();
    expect(await text).toBe('one two');
    await counts(limit, 0);
  });

  it('is held while an event stream is open, and released when the client cancels it', async () => {
    const limit = limitOf();
    const { readable, write } = source();
    const headers = { 'Content-Type': 'text/event-stream' };
    const response = await limit(get(), () => new Response(readable, { headers }));
    const reader = response.body?.getReader();
    const event = reader?.read();
    await write('data: 1\n\n');
    expect(new TextDecoder().decode((await event)?.value)).toBe('data: 1\n\n');
    expect(limit.holders).toBe(1);
    await reader?.cancel();
    await counts(limit, 0);
  });

  it('is released when the body fails', async () => {
    const limit = limitOf();
    const { readable, fail } = source();
    const response = await limit(get(), () => new Response(readable));
    const text = response.text();
    await fail(new Error('broken'));
    await expect(text).rejects.toThrow('broken');
    await counts(limit, 0);
  });

  it('is released after maxHold if nothing reads the body', async () => {
    const limit = limitOf({ maxHold: 5 });
    const leaks: unknown[] = [];
    limit.observe({ leaked: (event) => leaks.push(event) });
    const response = await limit(get(), () => new Response(source().readable));
    await counts(limit, 0);
    expect(leaks).toHaveLength(1);
    await response.body?.cancel();
  });

  it.each<[string, () => Response, RequestInit?]>([
    ['a HEAD request', () => new Response('never read'), { method: 'HEAD' }],
    ['204', () => new Response(null, { status: 204 })],
    ['304', () => new Response(null, { status: 304, headers: { ETag: '"1"' } })],
    ['a redirect', () => Response.redirect('http://localhost/other', 303)],
    ['Response.error()', () => Response.error()],
    ['a short body that nothing reads', () => new Response('short')],
  ])('is released after %s, with the status and headers of the response', async (_, make, init) => {
    for (const headers of [false, true]) {
      const limit = limitOf({ headers });
      const { status, headers: expected } = make();
      const response = await limit(get(init), make);
      expect(response.status).toBe(status);
      expect([...response.headers]).toEqual(expect.arrayContaining([...expected]));
      expect(response.headers.has('ratelimit')).toBe(headers && status >= 200);
      await counts(limit, 0);
    }
  });

  it('is released at once for a response whose body has been used', async () => {
    const limit = limitOf();
    const used = new Response('used');
    await used.text();
    expect(await limit(get(), () => used)).toBe(used);
    await counts(limit, 0);
  });

  it('is released at once when the connection has become a WebSocket', async () => {
    const limit = limitOf({ headers: true });
    const upgraded = limit.wrap(() => undefined);
    expect(await upgraded(get())).toBeUndefined();
    // Node cannot construct such a response.
    const switched = Object.defineProperty(new Response(''), 'status', { value: 101 });
    expect(await limit(get(), () => switched)).toBe(switched);
    await counts(limit, 0);
  });

  it('is held by the body that the outer limit returns, if middleware in between has replaced it', async () => {
    const [outer, inner] = [limitOf(), limitOf()];
    const { readable, close } = source();
    const discarded = source().readable;
    const response = await outer(get(), async (request) => {
      await inner(request, () => new Response(discarded));
      return new Response(readable);
    });
    const text = response.text();
    expect([outer.holders, inner.holders]).toEqual([1, 1]);
    await close();
    expect(await text).toBe('');
    await counts(outer, 0);
    await counts(inner, 0);
  });

  it('of an outer limit is held by its own response if an inner handler returns none', async () => {
    const [outer, inner] = [limitOf(), limitOf()];
    const { readable, close } = source();
    const response = await outer(get(), async (request) => {
      await inner(request, () => undefined as never);
      return new Response(readable);
    });
    const text = response.text();
    expect([outer.holders, inner.holders]).toEqual([1, 0]);
    await close();
    await text;
    await counts(outer, 0);
  });

  it('is not acquired twice by the same request', async () => {
    const limit = limitOf({ limit: 2 });
    const ok = () => new Response('ok');
    await limit(get(), (request) => limit(request, ok));
    expect(limit.stats()).toMatchObject({ admitted: 1, reentered: 1 });
  });
});

describe('a request whose signal aborts', () => {
  it('is withdrawn from the queue, and its handler never runs', async () => {
    const limit = limitOf({ queueLimit: 1 });
    const release = new Latch();
    const holder = limit(get(), async () => {
      await release.opened;
      return new Response(null);
    });
    const abort = new AbortController();
    let runs = 0;
    const left = limit(get({ signal: abort.signal }), () => {
      runs++;
      return new Response(null);
    });
    await counts(limit, 1, 1);
    abort.abort();
    expect((await left).status).toBe(499);
    await counts(limit, 1, 0);
    release.open();
    await holder;
    expect([runs, limit.stats().withdrawn]).toEqual([0, 1]);
  });

  it('is not queued if it has aborted before', async () => {
    const limit = limitOf();
    const response = await limit(get({ signal: AbortSignal.abort() }), () => new Response('ran'));
    expect([response.status, limit.stats().admitted]).toEqual([499, 0]);
  });

  it('holds its permit until its handler has settled, and aborts the signal of the permit', async () => {
    const limit = limitOf();
    const release = new Latch();
    const abort = new AbortController();
    let signal: AbortSignal | undefined;
    const answer = limit(get({ signal: abort.signal }), async (request) => {
      signal = admissionOf(request).permit?.signal;
      await release.opened;
      return new Response('late');
    });
    await counts(limit, 1);
    abort.abort();
    expect(signal?.reason).toMatchObject({ code: 'ERR_HEADGATE_DISCONNECTED' });
    expect(limit.holders).toBe(1);
    release.open();
    await answer;
    await counts(limit, 0);
  });
});

describe('the arguments', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['no handler', () => limitOf().wrap(undefined as never), /limit\.wrap\(handler\)/],
    ['no next', () => limitOf()(get(), undefined as never), /limit\(request, next\)/],
    ['no request', () => limitOf()({} as never, () => new Response()), /limit\(request, next\)/],
  ])('are checked: %s', async (_, call, message) => {
    const error = await (async () => call())().catch((error: unknown) => error);
    expect(error).toMatchObject({
      code: 'ERR_HEADGATE_MIDDLEWARE',
      message: expect.stringMatching(message),
    });
  });
});
