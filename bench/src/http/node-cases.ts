import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer, type Serve, type Situation } from './situation.ts';

type Wrap = (listener: RequestListener, situation: Situation) => Promise<RequestListener>;

const serve =
  (wrap?: Wrap): Serve =>
  async (situation) => {
    const listener: RequestListener = async (_req, res) => {
      if (situation.takesATurn) await new Promise(setImmediate);
      res.setHeader('Content-Type', 'application/json');
      res.end(JSON.stringify(answer));
    };
    const server = createServer(wrap ? await wrap(listener, situation) : listener);
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return (server.address() as AddressInfo).port;
  };

const handWritten: Wrap = async (listener, { limit, queueLimit }) => {
  const queue: Array<() => void> = [];
  let inflight = 0;
  const done = () => {
    inflight--;
    queue.shift()?.();
  };
  return (req, res) => {
    const admit = () => {
      // A response that is already closed emits no further `close`.
      if (res.destroyed) return queue.shift()?.();
      inflight++;
      res.on('close', done);
      listener(req, res);
    };
    if (inflight < limit) return admit();
    if (queue.length < queueLimit) return queue.push(admit);
    res.writeHead(503, { 'Retry-After': '1' }).end();
  };
};

export const cases: Record<string, Serve> = {
  bare: serve(),
  'hand-written': serve(handWritten),
  headgate: serve(async (listener, { limit, queueLimit }) => {
    const { concurrencyLimit } = await import('@headgate/node');
    return concurrencyLimit({ limit, queueLimit })(listener);
  }),
};
