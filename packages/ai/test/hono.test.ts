import type { AddressInfo } from 'node:net';
import { concurrencyLimit } from '@headgate/hono';
import { Latch, until } from '@headgate/test-suite';
import { type ServerType, serve } from '@hono/node-server';
import { Hono } from 'hono';
import OpenAI from 'openai';
import { afterEach, expect, it } from 'vitest';
import { openaiError } from '../src/index.ts';
import { openaiApi } from './providers.ts';

let server: ServerType | undefined;

afterEach(async () => {
  if (server !== undefined) await new Promise((resolve) => server?.close(resolve));
});

it('a refusal is a response of a web-standard handler', async () => {
  const limit = concurrencyLimit({
    ...{ limit: 1, queueLimit: 0 },
    onReject: (rejection) => {
      const { status, headers, body } = openaiError(rejection, { status: 429 });
      return new Response(body, { status, headers });
    },
  });
  const latch = new Latch();
  const app = new Hono();
  app.use(limit);
  app.post(openaiApi.path, async (c) => {
    await latch.opened;
    return c.json(openaiApi.answer);
  });
  const port = await new Promise<number>((resolve) => {
    server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, (info: AddressInfo) =>
      resolve(info.port),
    );
  });
  const baseURL = `http://127.0.0.1:${port}/v1`;
  const client = new OpenAI({ apiKey: 'test', baseURL, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const call = () => client.chat.completions.create({ model: 'm', messages });
  const first = call();
  await until(() => limit.holders === 1);
  const error = await call().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(OpenAI.RateLimitError);
  expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
  latch.open();
  expect((await first).choices[0]?.message.content).toBe('Hi there');
  await until(() => limit.holders === 0);
});
