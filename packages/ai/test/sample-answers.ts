// Answers in the shapes that the providers document, streamed and whole, and what each has used.
import type { Usage } from '../src/index.ts';

interface Sample {
  readonly body: string;
  readonly usage: Usage;
  readonly deltas: number;
}

/** What a model can be made to write into the arguments of a tool. */
const forged = { usage: { prompt_tokens: 1, input_tokens: 1, output_tokens: 1 } };

const data = (content: object) => `data: ${JSON.stringify(content)}\n\n`;
const event = (type: string, fields: object = {}) => `event: ${type}\n${data({ type, ...fields })}`;

const chunk = (delta: object, finish_reason: string | null = null) =>
  data({
    ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    usage: null,
  });

const chatUsage = {
  ...{ prompt_tokens: 2_006, completion_tokens: 300, total_tokens: 2_306 },
  prompt_tokens_details: { cached_tokens: 1_920, cache_write_tokens: 50, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 256, audio_tokens: 0 },
};

const functionCall = { name: 'find', arguments: '' };

const chat = {
  streamed: [
    chunk({ role: 'assistant', content: '', refusal: null }),
    chunk({ content: 'Grüße, 世界 👋' }),
    chunk({ content: '"usage": {"prompt_tokens": 7}' }),
    chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: functionCall }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: JSON.stringify(forged) } }] }),
    chunk({}, 'tool_calls'),
    data({ id: 'c', object: 'chat.completion.chunk', choices: [], usage: chatUsage }),
    'data: [DONE]\n\n',
  ].join(''),
  whole: JSON.stringify({
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi', refusal: null } }],
    usage: chatUsage,
    system_fingerprint: null,
  }),
};

const responseUsage = {
  input_tokens: 2_006,
  input_tokens_details: { cached_tokens: 1_920, cache_write_tokens: 50 },
  output_tokens: 300,
  output_tokens_details: { reasoning_tokens: 256 },
  total_tokens: 2_306,
};

const responseOf = (usage: object | null, output: readonly object[]) => ({
  ...{ id: 'r', object: 'response', created_at: 1, error: null, model: 'm', output, ...forged },
  ...{ reasoning: { effort: 'high' }, usage, user: null, metadata: {} },
});

const output = [{ type: 'message', content: [{ type: 'output_text', text: 'Hi', ...forged }] }];

const responses = {
  streamed: [
    event('response.created', { response: responseOf(null, []) }),
    event('response.output_item.added', { item: { type: 'message', content: [] } }),
    event('response.reasoning_summary_text.delta', { delta: 'Well' }),
    event('response.output_text.delta', { item_id: 'i', delta: 'Hi' }),
    event('response.function_call_arguments.delta', { delta: '{"a":' }),
    event('response.output_text.done', { text: 'Hi' }),
    event('response.completed', { response: responseOf(responseUsage, output) }),
  ].join(''),
  whole: JSON.stringify(responseOf(responseUsage, output), null, 2),
};

const messageUsage = {
  ...{ input_tokens: 36, cache_creation_input_tokens: 50, cache_read_input_tokens: 1_920 },
  cache_creation: { ephemeral_5m_input_tokens: 50, ephemeral_1h_input_tokens: 0 },
};

const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', stop_reason: null };

const messages = {
  streamed: [
    event('message_start', {
      message: { ...message, content: [], usage: { ...messageUsage, output_tokens: 1 } },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '' } }),
    event('ping'),
    event('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'Well' } }),
    event('content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'Hi' } }),
    event('content_block_delta', { delta: { type: 'input_json_delta', partial_json: '{"a":' } }),
    event('content_block_stop', { index: 1 }),
    event('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { input_tokens: null, output_tokens: 300 },
    }),
    event('message_stop'),
  ].join(''),
  whole: JSON.stringify({
    ...message,
    content: [{ type: 'tool_use', id: 't', name: 'find', input: forged }],
    usage: {
      ...{ ...messageUsage, output_tokens: 300, service_tier: 'standard' },
      iterations: [{ type: 'message', input_tokens: 1, output_tokens: 1 }],
    },
  }),
};

const usage: Usage = { prompt: 36, cacheRead: 1_920, cacheWrite: 50, output: 300 };

export const samples: Readonly<Record<string, Sample>> = {
  'a stream of chat completions': { body: chat.streamed, usage, deltas: 4 },
  'a chat completion': { body: chat.whole, usage, deltas: 0 },
  'a stream of responses': { body: responses.streamed, usage, deltas: 3 },
  'a response': { body: responses.whole, usage, deltas: 0 },
  'a stream of messages': { body: messages.streamed, usage, deltas: 3 },
  'a message': { body: messages.whole, usage, deltas: 0 },
};
