// A fake model provider in the formats of OpenAI and Anthropic, to try the gateway without a key.
//
// The field `metadata` of a request decides what its answer is like: `tokens`, its length; `size`, the letters of a
// token; and `fault`, what goes wrong: `hang`, `reset` (before the first byte), `cut`, `page` (the error page of a proxy),
// `crlf` (other line ends), or `hold`, which waits after the first token until POST /admin/release. GET /admin/calls shows which requests have arrived.
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type Format, formatOf } from './formats.ts';

const port = Number(process.env.PORT ?? 4000);
/** Requests beyond it are refused, with `Retry-After`. */
const capacity = Number(process.env.CAPACITY ?? 8);

interface Question {
  readonly model?: string;
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly messages?: readonly { readonly content: string }[];
  readonly metadata?: { readonly fault?: string; readonly tokens?: string; readonly size?: string };
}

const calls = {
  running: 0,
  peak: 0,
  refused: 0,
  /** Answers that the caller has not read to their end. */
  aborted: 0,
  started: [] as { prompt: string; model: string; at: number }[],
  finished: [] as { prompt: string; tokens: number }[],
};

/** Emits `release`. */
const held = new EventEmitter();

const server = createServer((req, res) => {
  handle(req, res).catch(() => res.destroy());
});

async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.url === '/admin/calls') return void res.end(JSON.stringify(calls));
  if (req.url === '/admin/release') {
    held.emit('release');
    return void res.end();
  }
  const format = formatOf(req.url ?? '');
  const question = (await json(req)) as Question;
  if (calls.running >= capacity) {
    calls.refused++;
    res.writeHead(429, { 'Content-Type': 'application/json', 'Retry-After': '1' });
    return void res.end(format.refusal);
  }
  calls.peak = Math.max(calls.peak, ++calls.running);
  try {
    await answer(question, format, res);
  } finally {
    calls.running--;
  }
}

async function answer(question: Question, format: Format, res: ServerResponse): Promise<void> {
  const { fault, tokens = '8', size = '4' } = question.metadata ?? {};
  const left = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) calls.aborted++;
    left.abort();
  });
  const { signal } = left;
  const prompt = question.messages?.at(-1)?.content ?? '';
  calls.started.push({ prompt, model: question.model ?? '', at: Date.now() });
  if (fault === 'hang') await once(signal, 'abort');
  if (fault === 'reset') res.destroy();
  if (fault === 'page') {
    res.writeHead(502, { 'Content-Type': 'text/html' });
    return void res.end('<style>p{margin:0}</style><p>Bad gateway</p>');
  }
  const lines = (text: string) => (fault === 'crlf' ? text.replaceAll('\n', '\r\n') : text);
  const count = Math.min(Number(tokens), question.max_tokens ?? Infinity);
  const usage = { input: Math.ceil(prompt.length / 4), output: count };
  const withUsage = question.stream_options?.include_usage === true;
  if (question.stream) {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    res.write(lines(format.begin(usage.input)));
  }
  const word = 'word'.padEnd(Number(size), '.');
  for (let token = 0; token < count; token++) {
    if (signal.aborted) return;
    if (question.stream && !res.write(lines(format.token(word))))
      await once(res, 'drain', { signal });
    if (fault === 'hold' && token === 0) await once(held, 'release', { signal });
    if (fault === 'cut' && token === 3) return void res.destroy();
    await pause(1);
  }
  calls.finished.push({ prompt, tokens: count });
  if (question.stream) return void res.end(lines(format.end(usage, withUsage)));
  res.setHeader('Content-Type', 'application/json');
  res.end(format.whole(word.repeat(count), usage));
}

server.listen(port, () => console.log(`http://localhost:${port}`));
