import { pipeline, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { HANDLER_MS, inExpress, type Kinds } from './kind.ts';

const INTERVAL_MS = HANDLER_MS / 10;

/** Each chunk has a due time: on a busy machine, the stream takes no longer than other handlers. */
async function* chunks(): AsyncGenerator<string> {
  const start = performance.now();
  for (let due = INTERVAL_MS; due <= HANDLER_MS; due += INTERVAL_MS) {
    await delay(start + due - performance.now());
    yield 'chunk';
  }
}

/** Handlers that send their response bit by bit. */
export const streams: Kinds = {
  'Express, server-sent events': inExpress((_req, res) => {
    res.type('text/event-stream').flushHeaders();
    const events = setInterval(() => res.write('data: event\n\n'), INTERVAL_MS);
    const end = setTimeout(() => res.end(), HANDLER_MS);
    res.on('close', () => {
      clearInterval(events);
      clearTimeout(end);
    });
  }),
  'Express, `pipe()`': inExpress((_req, res) => {
    Readable.from(chunks()).pipe(res);
  }),
  'Express, `pipeline()`': inExpress((_req, res) => {
    pipeline(Readable.from(chunks()), res, () => {});
  }),
  'Express, `write()` until `res.destroyed`': inExpress(async (_req, res) => {
    for await (const chunk of chunks()) {
      if (res.destroyed) return;
      res.write(chunk);
    }
    res.end();
  }),
};
