import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { generateText } from 'ai';
import OpenAI from 'openai';
import OpenAI6 from 'openai6';
import { expect, it } from 'vitest';
import { startProvider, whole } from './model-provider.ts';
import { programOf, start } from './programs.ts';

// The programs of docs/ai.md between the official clients and a provider.

const before = `
import express from 'express';
globalThis.app = express();
app.use(express.json());
app.use((req, _res, next) => { req.account = { id: req.get('x-tenant') ?? 'a', plan: 'paid' }; next(); });
`;

/** Starts the programs of the page under these headings, with the rest of an app. */
async function serve(headings: readonly [heading: string, index?: number][], rest: string) {
  const provider = await startProvider();
  const programs = headings.map(([heading, index = 0]) =>
    programOf('docs/ai.md', { heading, index }),
  );
  const program = [before, ...programs, rest, 'app.listen(3000);'].join('\n');
  const url = await start(program.replaceAll('https://provider.example/v1', provider));
  const options = { apiKey: 'key', baseURL: `${url}/v1`, maxRetries: 0 };
  const openai6 = new OpenAI6(options) as unknown as OpenAI;
  return { url, openai: new OpenAI(options), openai6, vercel: createOpenAI(options) };
}

const question = { model: 'm', messages: [{ role: 'user' as const, content: 'Hello' }] };

async function stream(client: OpenAI): Promise<string> {
  let text = '';
  for await (const { choices } of await client.chat.completions.create({
    ...question,
    stream: true,
  }))
    text += choices[0]?.delta.content ?? '';
  return text;
}

async function ask(client: OpenAI): Promise<string | null | undefined> {
  const { choices } = await client.chat.completions.create(question);
  return choices[0]?.message.content;
}

/** A handler that calls the provider; the test holds its answer until the path /release is requested. */
const held = `
const waiting = [];
app.get('/held', (_req, res) => res.json(waiting.length));
app.get('/release', (_req, res) => { for (const each of waiting.splice(0)) each(); res.end(); });
const hold = () => new Promise((resolve) => waiting.push(resolve));
`;

async function untilHeld(url: string, count: number): Promise<void> {
  const waiting = async () => (await fetch(`${url}/held`)).json();
  await expect.poll(waiting, { timeout: 20_000 }).toBe(count);
}

it('the limit of the answers passes on answers, streams and refusals', async () => {
  const { openai, openai6, vercel } = await serve([['## Limit the answers in progress\n']], '');
  for (const client of [openai, openai6])
    expect([await ask(client), await stream(client)]).toEqual(['Hi', 'Hi']);
  const { text } = await generateText({ model: vercel.chat('m'), prompt: 'Hello', maxRetries: 0 });
  expect(text).toBe('Hi');
  const refused = openai.chat.completions.create({ ...question, model: 'refused' });
  await expect(refused).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  const refused6 = openai6.chat.completions.create({ ...question, model: 'refused' });
  await expect(refused6).rejects.toBeInstanceOf(OpenAI6.RateLimitError);
  const error = await refused.catch((reason: unknown) => reason);
  expect((error as { headers: Headers }).headers.get('retry-after')).toBe('7');
});

it('the limits of tokens charge what the answers have used', async () => {
  const rest = `
import { pipeline } from 'node:stream/promises';
const weights = [];
app.get('/weights', (_req, res) => res.json(weights));
app.post('/v1/chat/completions', async (req, res) => {
  const { permit } = res.locals.admission;
  const answer = await fetch('https://provider.example/v1', { method: 'POST', body: JSON.stringify(req.body) });
  res.set('content-type', answer.headers.get('content-type'));
  permit.adjust = (weight, name) => weights.push([weight, name]);
  await pipeline(charge(answer.body, permit, estimate(req)), res);
});`;
  const { url, openai } = await serve([['## Count tokens\n'], ['## Count tokens\n', 1]], rest);
  expect([await ask(openai), await stream(openai)]).toEqual(['Hi', 'Hi']);
  const weights = await (await fetch(`${url}/weights`)).json();
  expect(weights).toEqual([
    [12, 'tokens'],
    [12, 'tokens'],
  ]);
});

const narrow = 'limit: 1, queueLimit: 0';

it('the rejections are errors that the clients of OpenAI and Anthropic understand', async () => {
  const program = programOf('docs/ai.md', { heading: '## Rejections that clients understand\n' });
  const rest = `${held}
app.post(['/v1/chat/completions', '/v1/messages'], async (_req, res) => { await hold(); res.json(${JSON.stringify(whole)}); });
app.listen(3000);`;
  for (const name of ['openaiError', 'anthropicError']) {
    const changed = program.replace('limit: 20', narrow).replaceAll('openaiError', name);
    const url = await start([before, changed, rest].join('\n'));
    const openai = new OpenAI({ apiKey: 'key', baseURL: `${url}/v1`, maxRetries: 0 });
    const openai6 = new OpenAI6({ apiKey: 'key', baseURL: `${url}/v1`, maxRetries: 0 });
    const anthropic = new Anthropic({ apiKey: 'key', baseURL: url, maxRetries: 0 });
    const first = ask(openai);
    await untilHeld(url, 1);
    if (name === 'openaiError') {
      for (const client of [openai, openai6 as unknown as OpenAI]) {
        const error = await ask(client).catch((reason: unknown) => reason);
        expect(error).toMatchObject({ status: 503, code: 'server_is_overloaded' });
      }
    } else {
      const error = await anthropic.messages
        .create({ ...question, max_tokens: 5 })
        .catch((reason: unknown) => reason);
      expect(error).toMatchObject({ status: 529, error: { error: { type: 'overloaded_error' } } });
    }
    await fetch(`${url}/release`);
    expect(await first).toBe('Hi');
  }
});

it('a rejected request uses the cheaper model, if its client allows that', async () => {
  const program = programOf('docs/ai.md', {
    heading: '## A cheaper model instead of a rejection\n',
  });
  const rest = `${held}
app.post('/v1/chat/completions', async (_req, res) => {
  if (waiting.length === 0) await hold();
  res.json(${JSON.stringify(whole)});
});
app.listen(3000);`;
  const url = await start([before, program.replace('limit: 20', narrow), rest].join('\n'));
  const openai = new OpenAI({ apiKey: 'key', baseURL: `${url}/v1`, maxRetries: 0 });
  const first = ask(openai);
  await untilHeld(url, 1);
  const headers = { 'x-allow-fallback': 'true' };
  const second = await openai.chat.completions.create(question, { headers });
  expect(second.choices[0]?.message.content).toBe('Hi');
  await expect(ask(openai)).rejects.toMatchObject({ status: 503 });
  await fetch(`${url}/release`);
  expect(await first).toBe('Hi');
});

it('a provider that refuses most requests pauses the limit', async () => {
  const rest = `
import { pipeline } from 'node:stream/promises';
app.get('/paused', (_req, res) => res.json(upstream.stats().pausedFor ?? 0));
app.post('/v1/chat/completions', async (req, res) => {
  const answer = await ask(JSON.stringify(req.body), res.locals.admission.permit.signal);
  res.status(answer.status).set('content-type', answer.headers.get('content-type'));
  await pipeline(answer.body, res);
});`;
  const { url, openai } = await serve([['## When the provider refuses\n']], rest);
  expect(await ask(openai)).toBe('Hi');
  for (let count = 0; count < 20; count++) {
    const pausedFor = Number(await (await fetch(`${url}/paused`)).text());
    if (pausedFor > 0) break;
    await expect(
      openai.chat.completions.create({ ...question, model: 'refused' }),
    ).rejects.toMatchObject({ status: 429 });
  }
  const pausedFor = Number(await (await fetch(`${url}/paused`)).text());
  expect(pausedFor).toBeGreaterThan(5_000);
  expect(pausedFor).toBeLessThanOrEqual(7_000);
});

it('the adaptive limit serves the clients', async () => {
  const rest = `
app.post('/v1/chat/completions', (_req, res) => res.json(${JSON.stringify(whole)}));`;
  const { openai } = await serve([['## If the right limit is unknown\n']], rest);
  expect(await ask(openai)).toBe('Hi');
});
