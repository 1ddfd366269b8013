// What a plain queue does under overload, and what Headgate does: `npx tsx clients-that-give-up.ts`.
// A handler of 40 ms with a limit of 4 receives 200 requests per second, twice its capacity. Clients give up after 500 ms.
import { once } from 'node:events';
import { createServer, get, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/node';

const seconds = 10;
const patience = 500;
const work = 40;
const limit = 4;

const handler: RequestListener = async (_req, res) => {
  await sleep(work);
  res.end('ready');
};

/** A semaphore with a first in, first out queue, which a request leaves if its client does. */
function plainQueue(listener: RequestListener): RequestListener {
  let free = limit;
  const waiting = new Set<() => void>();
  const startNext = () => {
    const [next] = waiting;
    if (free === 0 || next === undefined) return;
    waiting.delete(next);
    free--;
    next();
  };
  return (req, res) => {
    const start = async () => {
      await listener(req, res);
      free++;
      startNext();
    };
    waiting.add(start);
    res.once('close', () => waiting.delete(start));
    startNext();
  };
}

/** Sends the requests, at random times, and counts what becomes of them. */
async function overload(port: number) {
  const counts = { answered: 0, rejected: 0, gaveUp: 0 };
  const visit = () =>
    new Promise<void>((resolve) => {
      const request = get({ port, agent: false }, (res) => {
        counts[res.statusCode === 200 ? 'answered' : 'rejected']++;
        res.resume();
      });
      const timer = setTimeout(() => {
        counts.gaveUp++;
        request.destroy();
      }, patience);
      request.once('response', () => clearTimeout(timer));
      request.on('error', () => {});
      request.once('close', () => resolve());
    });
  const visits: Promise<void>[] = [];
  const start = performance.now();
  for (let due = 0; due < seconds * 1000; due += -Math.log(Math.random()) * 5) {
    const wait = due - (performance.now() - start);
    if (wait > 1) await sleep(wait);
    visits.push(visit());
  }
  await Promise.all(visits);
  return counts;
}

const capacity = (limit / work) * 1000 * seconds;
for (const [name, limited] of [
  ['a plain queue', plainQueue],
  ['concurrencyLimit({ limit: 4 })', concurrencyLimit({ limit })],
] as const) {
  const server = createServer(limited(handler));
  await once(server.listen(0), 'listening');
  const { answered, rejected, gaveUp } = await overload((server.address() as AddressInfo).port);
  const part = Math.round((100 * answered) / capacity);
  console.log(
    `${name}: answered ${part} % of the capacity; ${rejected} got 503, ${gaveUp} gave up`,
  );
  server.close();
}
