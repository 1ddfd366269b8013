import { concurrencyLimit } from '@headgate/hono';
import { Latch, until } from '@headgate/test-suite';
import { Hono } from 'hono';
import OpenAI from 'openai';
import { expect, it, onTestFinished } from 'vitest';
import { openaiError } from '../src/index.ts';
import { openaiApi } from './providers.ts';
import { serveApp } from './serve-app.ts';

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
  const { url, stop } = await serveApp(app);
  onTestFinished(stop);
  const client = new OpenAI({ apiKey: 'test', baseURL: `${url}/v1`, maxRetries: 0 });
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
