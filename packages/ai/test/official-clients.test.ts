import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { anthropicError, openaiError } from '../src/index.ts';
import { hasty, modelServers } from './model-server.ts';
import { anthropicApi, openaiApi } from './providers.ts';

const start = modelServers();

/** The least time in milliseconds between a rejection with `Retry-After: 1` and the retry. A timer may round. */
const A_SECOND = 950;

afterEach(() => {
  vi.restoreAllMocks();
});

const messages = [{ role: 'user' as const, content: 'Hello' }];

describe('the client of OpenAI', () => {
  const refusals = { default: openaiError, 429: limited(openaiError) };

  const clientOf = (url: string, options: object = {}) =>
    new OpenAI({ apiKey: 'test', baseURL: `${url}/v1`, ...options });
  const complete = async (client: OpenAI) => {
    const { choices } = await client.chat.completions.create({ model: 'm', messages });
    return choices[0]?.message.content;
  };
  const stream = async (client: OpenAI) => {
    let text = '';
    const chunks = await client.chat.completions.create({ model: 'm', messages, stream: true });
    for await (const { choices } of chunks) text += choices[0]?.delta.content ?? '';
    return text;
  };

  it.each([
    ['call', complete],
    ['streamed call', stream],
  ])('retries a %s after the wait that the rejection names', async (_, call) => {
    const { server, url } = await start(openaiApi, refusals.default);
    await server.hold(url);
    server.whenRejected = () => server.release();
    expect(await call(clientOf(url))).toBe('Hi there');
    expect(server.retries).toEqual(['0', '1']);
    expect(server.waited).toBeGreaterThan(A_SECOND);
  });

  it.each([
    ['call', complete],
    ['streamed call', stream],
  ])('a %s fails after two retries with the reason', async (_, call) => {
    const { server, url } = await start(openaiApi, hasty(refusals.default));
    await server.hold(url);
    const error = await call(clientOf(url)).catch((reason: unknown) => reason);
    expect(server.retries).toEqual(['0', '1', '2']);
    expect(error).toBeInstanceOf(OpenAI.InternalServerError);
    expect(error).toMatchObject({
      ...{ status: 503, type: 'service_unavailable_error', code: 'server_is_overloaded' },
      message: expect.stringMatching(/^503 The server is busy\. Try again in \d+ seconds?\.$/),
    });
    expect(retryAfterIn(error)).toBeGreaterThan(0);
  });

  it('obeys a wait of a minute', async () => {
    const { server, url } = await start(openaiApi, (rejection) =>
      openaiError({ ...rejection, retryAfter: 60 }),
    );
    await server.hold(url);
    server.whenRejected = () => server.release();
    const waits = shortenWaits(59_999);
    expect(await complete(clientOf(url))).toBe('Hi there');
    expect(server.retries).toEqual(['0', '1']);
    expect(waits).toEqual([59_999]);
  });

  it('fails without a retry if the application allows none', async () => {
    const { server, url } = await start(openaiApi, refusals.default);
    await server.hold(url);
    const call = complete(clientOf(url, { maxRetries: 0 }));
    await expect(call).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    expect(server.retries).toEqual(['0']);
  });

  it('reports status 429 as a rate limit', async () => {
    const { server, url } = await start(openaiApi, hasty(refusals[429]));
    await server.hold(url);
    const error = await complete(clientOf(url)).catch((reason: unknown) => reason);
    expect(server.retries).toEqual(['0', '1', '2']);
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' });
  });

  it('reports a shutdown as an overload, also if the status of the limit is 429', async () => {
    const { server, url } = await start(openaiApi, hasty(refusals[429]));
    await server.limit.close();
    const error = await complete(clientOf(url)).catch((reason: unknown) => reason);
    expect(server.retries).toEqual(['0', '1', '2']);
    expect(error).toMatchObject({ status: 503, code: 'server_is_overloaded' });
  });
});

describe('the client of Anthropic', () => {
  const refusals = { default: anthropicError, 429: limited(anthropicError) };

  const clientOf = (url: string, options: object = {}) =>
    new Anthropic({ apiKey: 'test', baseURL: url, ...options });
  const parameters = { model: 'm', max_tokens: 10, messages };
  const complete = async (client: Anthropic) => {
    const { content } = await client.messages.create(parameters);
    return content[0]?.type === 'text' ? content[0].text : undefined;
  };
  const stream = async (client: Anthropic) => {
    let text = '';
    for await (const event of await client.messages.create({ ...parameters, stream: true })) {
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
        text += event.delta.text;
    }
    return text;
  };

  it.each([
    ['call', complete],
    ['streamed call', stream],
  ])('retries a %s after the wait that the rejection names', async (_, call) => {
    const { server, url } = await start(anthropicApi, refusals.default);
    await server.hold(url);
    server.whenRejected = () => server.release();
    expect(await call(clientOf(url))).toBe('Hi there');
    expect(server.retries).toEqual(['0', '1']);
    expect(server.waited).toBeGreaterThan(A_SECOND);
  });

  it.each([
    ['call', complete],
    ['streamed call', stream],
  ])('a %s fails after two retries with the reason', async (_, call) => {
    const { server, url } = await start(anthropicApi, hasty(refusals.default));
    await server.hold(url);
    const error = await call(clientOf(url)).catch((reason: unknown) => reason);
    expect(server.retries).toEqual(['0', '1', '2']);
    expect(error).toBeInstanceOf(Anthropic.InternalServerError);
    expect(error).toMatchObject({
      status: 529,
      error: { type: 'error', error: { type: 'overloaded_error' } },
    });
    expect(retryAfterIn(error)).toBeGreaterThan(0);
  });

  it('obeys a wait of a minute', async () => {
    const { server, url } = await start(anthropicApi, (rejection) =>
      anthropicError({ ...rejection, retryAfter: 60 }),
    );
    await server.hold(url);
    server.whenRejected = () => server.release();
    const waits = shortenWaits(59_999);
    expect(await complete(clientOf(url))).toBe('Hi there');
    expect(server.retries).toEqual(['0', '1']);
    expect(waits).toEqual([59_999]);
  });

  it('fails without a retry if the application allows none', async () => {
    const { server, url } = await start(anthropicApi, refusals.default);
    await server.hold(url);
    const call = complete(clientOf(url, { maxRetries: 0 }));
    await expect(call).rejects.toBeInstanceOf(Anthropic.InternalServerError);
    expect(server.retries).toEqual(['0']);
  });

  it('reports status 429 as a rate limit', async () => {
    const { server, url } = await start(anthropicApi, hasty(refusals[429]));
    await server.hold(url);
    const error = await complete(clientOf(url)).catch((reason: unknown) => reason);
    expect(server.retries).toEqual(['0', '1', '2']);
    expect(error).toBeInstanceOf(Anthropic.RateLimitError);
    expect(error).toMatchObject({ error: { error: { type: 'rate_limit_error' } } });
  });

  it('reports a shutdown as an overload with status 503', async () => {
    const { server, url } = await start(anthropicApi, hasty(refusals.default));
    await server.limit.close();
    const error = await complete(clientOf(url)).catch((reason: unknown) => reason);
    expect(server.retries).toEqual(['0', '1', '2']);
    expect(error).toMatchObject({ status: 503, error: { error: { type: 'overloaded_error' } } });
  });
});

/** The same refusals with status 429. */
function limited<Result>(refusalOf: (rejection: never, options: { status: 429 }) => Result) {
  return (rejection: unknown) => refusalOf(rejection as never, { status: 429 });
}

/** What the application reads from the error, to retry later by itself. */
function retryAfterIn(error: unknown): number {
  return Number((error as { headers: Headers }).headers.get('retry-after'));
}

/** Lets timers of this length fire at once, and returns their lengths. */
function shortenWaits(length: number): number[] {
  const waits: number[] = [];
  const { setTimeout } = globalThis;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, delay = 0) => {
    if (delay === length) waits.push(delay);
    return setTimeout(callback, delay === length ? 0 : delay);
  }) as typeof setTimeout);
  return waits;
}
