// The wire formats that the fake provider speaks.

interface Usage {
  readonly input: number;
  readonly output: number;
}

/** A wire format. Each member returns the text to send. */
export interface Format {
  /** The response to a request beyond the capacity. */
  readonly refusal: string;
  begin(input: number): string;
  token(text: string): string;
  end(usage: Usage, withUsage: boolean): string;
  /** An answer that is not streamed. */
  whole(text: string, usage: Usage): string;
}

const data = (content: object) => `data: ${JSON.stringify(content)}\n\n`;
const event = (content: { type: string }) => `event: ${content.type}\n${data(content)}`;

const countsOf = ({ input, output }: Usage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});

const openai: Format = {
  refusal: JSON.stringify({
    error: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' },
  }),
  begin: () => data({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }),
  token: (content) => data({ choices: [{ index: 0, delta: { content } }] }),
  end: (usage, withUsage) =>
    data({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
    (withUsage ? data({ choices: [], usage: countsOf(usage) }) : '') +
    'data: [DONE]\n\n',
  whole: (content, usage) =>
    JSON.stringify({
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: countsOf(usage),
    }),
};

const anthropic: Format = {
  refusal: JSON.stringify({
    type: 'error',
    error: { type: 'rate_limit_error', message: 'Rate limit reached' },
  }),
  begin: (input) =>
    event({
      type: 'message_start',
      ...{ message: { role: 'assistant', usage: { input_tokens: input, output_tokens: 1 } } },
    }),
  token: (text) =>
    event({ type: 'content_block_delta', ...{ index: 0, delta: { type: 'text_delta', text } } }),
  end: ({ output }) =>
    event({ type: 'message_delta', ...{ usage: { output_tokens: output } } }) +
    event({ type: 'message_stop' }),
  whole: (text, { input, output }) =>
    JSON.stringify({
      ...{ type: 'message', role: 'assistant', content: [{ type: 'text', text }] },
      usage: { input_tokens: input, output_tokens: output },
    }),
};

export function formatOf(path: string): Format {
  return path === '/v1/messages' ? anthropic : openai;
}
