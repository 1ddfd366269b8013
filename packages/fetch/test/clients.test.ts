import OpenAI from 'openai';
import { expect, it, vi } from 'vitest';
import { limitFetch } from '../src/index.ts';
import { held, serve } from './server.ts';

const chunk = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

/** A model server that streams two tokens, or answers 503. */
function modelServer() {
  const running = { now: 0, most: 0, isDown: false };
  const url = serve((req, res) => {
    running.most = Math.max(running.most, ++running.now);
    res.on('close', () => running.now--);
    req.resume();
    if (running.isDown) return void res.writeHead(503).end();
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk('Hello'));
    setTimeout(() => res.end(`${chunk(' world')}data: [DONE]\n\n`), 20);
  });
  return { running, url };
}

const ask = { model: 'large', messages: [], stream: true as const };

it("OpenAI's client streams through a limit", async () => {
  const { running, url } = modelServer();
  const api = limitFetch(fetch, { limit: 2 });
  const client = new OpenAI({ apiKey: 'key', baseURL: await url, fetch: api, maxRetries: 0 });
  const answers = Array.from({ length: 6 }, async () => {
    let text = '';
    for await (const { choices } of await client.chat.completions.create(ask))
      text += choices[0]?.delta.content;
    return text;
  });
  expect(await Promise.all(answers)).toEqual(Array(6).fill('Hello world'));
  expect(running.most).toBe(2);
  await vi.waitFor(() => expect(held(api)).toBe(0));
});

it("a stream that OpenAI's client ends early, and an error, release their permits", async () => {
  const { running, url } = modelServer();
  const api = limitFetch(fetch, { limit: 1 });
  const client = new OpenAI({ apiKey: 'key', baseURL: await url, fetch: api, maxRetries: 0 });
  for await (const _ of await client.chat.completions.create(ask)) break;
  await vi.waitFor(() => expect(held(api)).toBe(0));
  running.isDown = true;
  await expect(client.chat.completions.create(ask)).rejects.toMatchObject({ status: 503 });
  await vi.waitFor(() => expect(held(api)).toBe(0));
});
