import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { type LimitedFetch, limitFetch } from '@headgate/fetch';
import { Latch } from '@headgate/test-suite';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import OpenAI6 from 'openai6';
import { expect, it, vi } from 'vitest';
import { startProvider } from './model-provider.ts';

// The official clients with a limited fetch, in front of a provider.

interface Client {
  ask(model: string): Promise<string | null | undefined>;
  stream(): AsyncIterable<unknown>;
}

type Connect = (options: { baseURL: string; fetch: LimitedFetch }) => Client;

const secret = { apiKey: 'key', maxRetries: 0 };
const messages = [{ role: 'user' as const, content: 'Hello' }];

function openai(Constructor: typeof OpenAI): Connect {
  return (options) => {
    const { completions } = new Constructor({ ...secret, ...options }).chat;
    return {
      ask: async (model) =>
        (await completions.create({ model, messages })).choices[0]?.message.content,
      async *stream() {
        yield* await completions.create({ model: 'm', messages, stream: true });
      },
    };
  };
}

const anthropic: Connect = ({ baseURL, fetch }) => {
  const client = new Anthropic({ ...secret, fetch, baseURL: baseURL.replace('/v1', '') });
  const question = { max_tokens: 5, messages };
  return {
    ask: async (model) => {
      const { content } = await client.messages.create({ ...question, model });
      return content[0]?.type === 'text' ? content[0].text : undefined;
    },
    async *stream() {
      yield* await client.messages.create({ ...question, model: 'm', stream: true });
    },
  };
};

const vercel: Connect = (options) => {
  const provider = createOpenAI({ apiKey: 'key', ...options });
  const question = { messages, maxRetries: 0 };
  return {
    ask: async (model) => (await generateText({ ...question, model: provider.chat(model) })).text,
    stream: () => streamText({ ...question, model: provider.chat('m') }).textStream,
  };
};

it.each([
  ['openai 6', openai(OpenAI6 as unknown as typeof OpenAI)],
  ['openai 7', openai(OpenAI)],
  ['@anthropic-ai/sdk', anthropic],
  ['Vercel ai', vercel],
])('the calls of %s are limited, and each end of a call returns its permit', async (_, connect) => {
  const latch = new Latch();
  const baseURL = await startProvider(latch.opened);
  const api = limitFetch(fetch, { limit: 2 });
  const client = connect({ baseURL, fetch: api });
  const answers = Array.from({ length: 6 }, () => client.ask('m'));
  await vi.waitFor(() => expect(api.stats()[0]).toMatchObject({ holders: 2, queued: 4 }));
  latch.open();
  expect(await Promise.all(answers)).toEqual(Array(6).fill('Hi'));
  for await (const part of client.stream()) expect(part).toBeTruthy();
  for await (const _part of client.stream()) break;
  await expect(client.ask('refused')).rejects.toMatchObject(
    connect === vercel ? { statusCode: 429 } : { status: 429 },
  );
  await vi.waitFor(() => expect(api.stats()[0]).toMatchObject({ holders: 0, queued: 0 }));
  expect(api.stats()[0]?.admitted).toBe(9);
});
