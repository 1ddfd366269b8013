// Tokens of a model as server-sent events: the permit is held until the last one is sent, or the client disconnects.
import { setTimeout as pause } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/express';
import express from 'express';

const app = express();
const port = Number(process.env.PORT ?? 3000);
const chats = concurrencyLimit({ name: 'chats', limit: 2, queueLimit: 0, maxHold: 60_000 });

// A placeholder for a real model, which takes the signal too: tokens that no client reads should not be paid for.
async function* answer(prompt: string, signal?: AbortSignal) {
  const words = `You asked: ${prompt}. I had better think about that for a while.`.split(' ');
  for (const word of words) {
    await pause(100, undefined, { signal });
    yield word;
  }
}

app.get(
  '/chat',
  // Holds the permit until the handler has settled and the response has ended.
  chats.wrap(async (req, res) => {
    const signal = res.locals.admission.permit?.signal;
    res.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    try {
      for await (const token of answer(String(req.query.prompt), signal)) {
        res.write(`data: ${token}\n\n`);
      }
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
    res.end();
  }),
);

app.get('/stats', (_req, res) => {
  res.json(chats.stats());
});

app.listen(port).once('listening', () => console.log(`http://localhost:${port}`));
