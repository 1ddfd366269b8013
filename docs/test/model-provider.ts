import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

// A provider of models with the APIs of OpenAI (chat completions) and Anthropic (messages), which answers "Hi".

const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
const completion = { id: 'c', created: 1, model: 'm' };
export const whole = {
  ...{ ...completion, object: 'chat.completion', usage },
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
};
const chunk = (fields: object) =>
  `data: ${JSON.stringify({ ...completion, object: 'chat.completion.chunk', ...fields })}\n\n`;
const streamed = [
  chunk({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] }),
  chunk({ choices: [], usage }),
  'data: [DONE]\n\n',
];

const message = {
  ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', stop_sequence: null },
  usage: { input_tokens: 7, output_tokens: 5 },
};
const event = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const wholeMessage = {
  ...message,
  stop_reason: 'end_turn',
  content: [{ type: 'text', text: 'Hi' }],
};
const streamedMessage = [
  event('message_start', { message: { ...message, content: [] } }),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hi' } }),
  event('content_block_stop', { index: 0 }),
  event('message_stop', {}),
];

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { stream, model } = (await json(req)) as { stream?: boolean; model: string };
  const isRefused = model === 'refused';
  const type = stream ? 'text/event-stream' : 'application/json';
  res.writeHead(isRefused ? 429 : 200, { 'content-type': type, 'retry-after': '7' });
  if (isRefused)
    res.end(JSON.stringify({ error: { message: 'busy', code: 'rate_limit_exceeded' } }));
  else if (req.url?.endsWith('/messages'))
    res.end(stream ? streamedMessage.join('') : JSON.stringify(wholeMessage));
  else res.end(stream ? streamed.join('') : JSON.stringify(whole));
}

/** Starts a provider, which answers once `opened` has resolved, and returns the address of its API. */
export async function startProvider(opened: Promise<unknown> = Promise.resolve()): Promise<string> {
  const server = createServer((req, res) => {
    void opened.then(() => answer(req, res));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
