import type { Api } from './model-server.ts';

const data = (content: object) => `data: ${JSON.stringify(content)}\n\n`;

const completion = { id: 'c', created: 1, model: 'm' };
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const finished = { index: 0, finish_reason: 'stop', logprobs: null };

const chunk = (content: string) =>
  data({
    ...{ ...completion, object: 'chat.completion.chunk' },
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  });

/** The API of chat completions. */
export const openaiApi: Api = {
  path: '/v1/chat/completions',
  answer: {
    ...{ ...completion, object: 'chat.completion', usage },
    choices: [{ ...finished, message: { role: 'assistant', content: 'Hi there', refusal: null } }],
  },
  events: [chunk('Hi '), chunk('there'), 'data: [DONE]\n\n'],
};

const message = {
  ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', stop_sequence: null },
  usage: { input_tokens: 1, output_tokens: 2 },
};

const event = (type: string, fields: object = {}) => `event: ${type}\n${data({ type, ...fields })}`;

const delta = (text: string) =>
  event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });

/** The API of messages. */
export const anthropicApi: Api = {
  path: '/v1/messages',
  answer: { ...message, stop_reason: 'end_turn', content: [{ type: 'text', text: 'Hi there' }] },
  events: [
    event('message_start', { message: { ...message, content: [] } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    delta('Hi '),
    delta('there'),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      usage: { output_tokens: 2 },
      delta: { stop_reason: 'end_turn', stop_sequence: null },
    }),
    event('message_stop'),
  ],
};
