import { collectGarbage } from '@headgate/test-kit/collect-garbage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageReader } from '../src/index.ts';
import { samples } from './sample-answers.ts';

/** Reads a body that arrives in chunks, which end at these bytes. */
function read(body: string, cuts: readonly number[] = []): UsageReader {
  const bytes = new TextEncoder().encode(body);
  const ends = cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b);
  const reader = new UsageReader();
  let from = 0;
  for (const end of [...ends, bytes.length]) {
    reader.push(bytes.subarray(from, end));
    from = end;
  }
  return reader;
}

const prompt = (tokens: number, output = 0) => ({
  ...{ prompt: tokens, cacheRead: 0, cacheWrite: 0 },
  output,
});

describe.each(Object.entries(samples))('%s', (_, { body, usage, deltas }) => {
  it.each([
    ['LF', body],
    ['CRLF', body.replaceAll('\n', '\r\n')],
    ['a byte order mark and white space before it', `\uFEFF\r\n \n${body}`],
    ['comments', body.startsWith('{') ? body : `: keep-alive {"\n\n${body}`],
    ['no space after the names of fields', body.replaceAll(/^(\w+): /gm, '$1:')],
  ])('has the usage that the provider has reported, with %s', (_name, text) => {
    const reader = read(text);
    expect(reader.usage).toEqual(usage);
    expect(reader.deltas).toBe(deltas);
  });

  it('has the same usage wherever it is cut into chunks', () => {
    const { length } = new TextEncoder().encode(body);
    fc.assert(
      fc.property(fc.array(fc.nat(length), { maxLength: 30 }), fc.boolean(), (cuts, isCrlf) => {
        const reader = read(isCrlf ? body.replaceAll('\n', '\r\n') : body, cuts);
        expect({ usage: reader.usage, deltas: reader.deltas }).toEqual({ usage, deltas });
      }),
    );
  });

  it('has the same usage if each byte arrives on its own', () => {
    const reader = read(body, [...new TextEncoder().encode(body).keys()]);
    expect({ usage: reader.usage, deltas: reader.deltas }).toEqual({ usage, deltas });
  });
});

it('chunks may be strings, also if they divide a character', () => {
  const reader = new UsageReader();
  const { body = '', usage } = samples['a stream of chat completions'] ?? {};
  for (let at = 0; at < body.length; at++) reader.push(body.charAt(at));
  expect(reader.usage).toEqual(usage);
});

describe('an answer without an end', () => {
  const cut = (name: string, end: string) => {
    const body = samples[name]?.body ?? '';
    return read(body.slice(0, body.indexOf(end)));
  };

  it('of chat completions has deltas and no usage', () => {
    const reader = cut('a stream of chat completions', '"usage":{"prompt_tokens"');
    expect(reader.usage).toBeUndefined();
    expect(reader.deltas).toBe(4);
  });

  it('of messages has the tokens of the prompt, and one for each delta', () => {
    const { usage } = cut('a stream of messages', 'event: message_delta');
    expect(usage).toEqual({ prompt: 36, cacheRead: 1_920, cacheWrite: 50, output: 1 + 3 });
  });
});

it('usage that is reported with each delta is not counted twice', () => {
  const event = (output: number) =>
    `data: {"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":9,"completion_tokens":${output}}}\n\n`;
  expect(read(event(1) + event(2) + event(3)).usage).toEqual(prompt(9, 3));
});

it('cached tokens count once if both APIs’ names are used for them', () => {
  const { usage } = read(
    '{"usage":{"prompt_tokens":100,"cache_read_input_tokens":40,"prompt_tokens_details":{"cached_tokens":40}}}',
  );
  expect(usage).toEqual({ prompt: 60, cacheRead: 40, cacheWrite: 0, output: 0 });
});

it('more cached tokens than tokens leave no negative number', () => {
  const body = '{"usage":{"prompt_tokens":1,"prompt_tokens_details":{"cached_tokens":5}}}';
  expect(read(body).usage).toEqual({ prompt: 0, cacheRead: 5, cacheWrite: 0, output: 0 });
});

it('a choice without a delta is none', () => {
  const event = (choice: string) => `data: {"choices":[${choice}]}\n\n`;
  const delta = event('{"delta":{"content":"a"}}');
  expect(
    read(delta + event('"a"') + event('{"finish_reason":"stop"}') + event('{"delta":"a"}')).deltas,
  ).toBe(1);
});

it('an error within a stream leaves what was reported before it', () => {
  const error = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n';
  const start = 'data: {"type":"message_start","message":{"usage":{"input_tokens":9}}}\n\n';
  expect(read(start + error).usage).toEqual(prompt(9));
});

it('an event that was cut does not affect the next one', () => {
  const next = 'data: {"choices":[],"usage":{"prompt_tokens":9}}\n\n';
  for (const broken of ['{"choices":[{"delta":{"content":"a', '{"a":"\\', '[[{"usage":', '}}]]'])
    expect(read(`data: ${broken}\n\n${next}`).usage).toEqual(prompt(9));
});

it('an event may have several lines of data', () => {
  const body = 'event: x\ndata: {"usage":\nid: {\ndata: {"prompt_tokens":\ndata: 9}}\n\n';
  expect(read(body).usage).toEqual(prompt(9));
});

it.each([
  '"5"',
  '-5',
  '5.5',
  '1e3',
  '0x5',
  '1e999',
  '1234567890',
  'true',
  'null',
  '{}',
  '[5]',
  '""',
  '',
])('a number of tokens that is %s is ignored', (value) => {
  expect(read(`{"usage":{"prompt_tokens":${value}}}`).usage).toBeUndefined();
  expect(
    read(`{"usage":{"prompt_tokens":9,"completion_tokens":4,"completion_tokens":${value}}}`).usage,
  ).toEqual(prompt(9, 4));
});

it.each([
  ['nothing', ''],
  ['white space', ' \n'],
  ['an error page', '<style>p{margin:0}</style>\n{"usage":{"prompt_tokens":5}}'],
  ['an error', '{"error":{"message":"usage","usage":{"prompt_tokens":5}}}'],
  ['other JSON', '[{"usage":{"prompt_tokens":5}}]'],
  ['usage without numbers', '{"usage":{}}'],
  ['usage that is a list', '{"usage":[{"prompt_tokens":5}]}'],
  ['usage in a string', '{"a":"{\\"usage\\":{\\"prompt_tokens\\":5}}"}'],
  ['usage of something else', '{"metadata":{"usage":{"prompt_tokens":5}}}'],
])('%s has no usage', (_, body) => {
  const reader = read(body);
  expect(reader.usage).toBeUndefined();
  expect(reader.deltas).toBe(0);
});

it('any bytes are accepted, and change nothing before a blank line', () => {
  const next = new TextEncoder().encode('\n\ndata: {"usage":{"prompt_tokens":9}}\n\n');
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom('x', ': {', 'data:'),
      (bytes, start) => {
        const reader = new UsageReader();
        reader.push(new TextEncoder().encode(start));
        reader.push(bytes);
        reader.push(next);
        expect(reader.usage).toEqual(prompt(9));
      },
    ),
  );
});

describe('an answer of 16 MB', () => {
  const end = '"usage":{"prompt_tokens":9,"completion_tokens":4}}';
  const bytesOf = (text: string) => new TextEncoder().encode(text);

  function memory(): number {
    collectGarbage();
    collectGarbage(); // frees what the first one has found of buffers
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }

  it.each([
    ['one string', '{"data":"', 'x', `",${end}`],
    ['one event', 'data: {"data":"', 'x', `",${end}\n\n`],
    ['escaped quotation marks', '{"data":"', '\\"', `",${end}`],
    ['one name', '{"', 'x', `":1,${end}`],
    ['one number', '{"data":', '1', `,${end}`],
    ['short values', '{"data":[', '"",1,[],', `1],${end}`],
    ['blank lines', 'data: [DONE]', '\n\r\n\n', `data: {${end}\n\n`],
    ['names after closed brackets', '{"a":1}', '}"b":', ''],
    ['names after open brackets', '{"data":', '{"b":', ''],
  ])('that consists of %s is read without being kept', (_, first, middle, last) => {
    const reader = new UsageReader();
    const before = memory();
    reader.push(bytesOf(first));
    for (let count = 0; count < 256; count++)
      reader.push(bytesOf(middle.repeat(65_536 / middle.length)));
    expect(memory() - before).toBeLessThan(2_000_000);
    reader.push(bytesOf(last));
    expect(reader.usage).toEqual(last === '' ? undefined : prompt(9, 4));
  });
});
