// Degraded responses: if there is no permit for a fresh response, the latest known one is better than none.
import { setTimeout as work } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/express';
import express from 'express';

const app = express();
const port = Number(process.env.PORT ?? 3000);
// Clients choose the paths, so the cache is bounded: the oldest entry is evicted.
const known = new Map<string, string>();
const maxKnown = 1_000;

const limit = concurrencyLimit({
  limit: 1,
  queueLimit: 0,
  maxHold: 10_000,
  // Calling next leaves the response to the handler, false leaves it to Headgate.
  onReject: (_rejection, req, _res, next) => known.has(req.path) && next(),
});

app.get('/recommendations/:user', limit, async (req, res) => {
  const { rejection } = res.locals.admission;
  if (rejection !== undefined) {
    res.set('X-Degraded', rejection.reason).send(known.get(req.path));
    return;
  }
  await work(500); // placeholder for the real work
  const answer = `For ${req.params.user}, as of ${new Date().toISOString()}\n`;
  remember(req.path, answer);
  res.send(answer);
});

function remember(path: string, answer: string): void {
  known.delete(path);
  known.set(path, answer);
  const [oldest] = known.keys();
  if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
}

app.listen(port).once('listening', () => console.log(`http://localhost:${port}`));
