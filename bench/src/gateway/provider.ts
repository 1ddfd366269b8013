// A model provider: streams a number of answers at once, each with a token at a time, and queues the other requests.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { slots, tokensHeader, tokenTime } from './scenario.ts';

interface Answer {
  readonly res: ServerResponse;
  left: number;
}

const running = new Set<Answer>();
const queue = new Set<Answer>();

const server = createServer((req: IncomingMessage, res: ServerResponse) => {
  const answer = { res, left: Number(req.headers[tokensHeader]) };
  queue.add(answer);
  res.once('close', () => {
    queue.delete(answer);
    running.delete(answer);
  });
  res.writeHead(200, { 'Content-Type': 'text/event-stream' });
  startNext();
});

function startNext(): void {
  for (const answer of queue) {
    if (running.size >= slots) return;
    queue.delete(answer);
    running.add(answer);
  }
}

/** Each running answer gets the tokens of the time that has passed, however late the timer is. */
let produced = performance.now();
setInterval(() => {
  for (; produced + tokenTime <= performance.now(); produced += tokenTime) {
    for (const answer of running) {
      answer.left--;
      answer.res.write('data: word\n\n');
      if (answer.left > 0) continue;
      answer.res.end();
      running.delete(answer);
    }
    startNext();
  }
}, 1);

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
