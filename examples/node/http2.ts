// node:http2 behind a proxy. On SIGTERM, the readiness probe fails, connections end with GOAWAY, queued and late requests
// are served, and then the process ends.
import { once } from 'node:events';
import {
  constants,
  createServer,
  type Http2ServerRequest,
  type ServerHttp2Session,
} from 'node:http2';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/node';

const port = Number(process.env.PORT ?? 3000);
// Milliseconds until the proxy has noticed and sends no more requests.
const removal = Number(process.env.REMOVAL ?? 10_000);
const limit = concurrencyLimit<Http2ServerRequest>({
  limit: 4,
  queueLimit: 50,
  queueTimeout: 5_000,
  maxHold: 30_000,
});

let isReady = true;
const sessions = new Set<ServerHttp2Session>();

const work = limit(async (req, res) => {
  if (req.method === 'POST') return req.pipe(res.writeHead(201));
  await pause(300); // placeholder for the real work
  return res.end(`A report by process ${process.pid}\n`);
});

const server = createServer((req, res) => {
  if (req.url === '/ready') return res.writeHead(isReady ? 200 : 503).end();
  return work(req, res);
});

const sockets = new Set<Socket>();
server.on('connection', (socket) => {
  sockets.add(socket.once('close', () => sockets.delete(socket)));
});

server.on('session', (session) => {
  sessions.add(session.once('close', () => sessions.delete(session)));
});

server.listen(port, () => console.log(`listening on ${port}`));

process.on('SIGTERM', async () => {
  if (!isReady) return; // sent twice
  isReady = false;
  await pause(removal);

  const deadline = AbortSignal.timeout(10_000);
  server.close();
  // The first GOAWAY accepts every request that is on its way, the second one names the last accepted request. Not
  // before the proxy has noticed: HAProxy's health check would wait for a response until its timeout.
  for (const session of sessions)
    if (!session.closed) session.goaway(constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1);
  await pause(100);
  for (const session of sessions) session.close();
  await once(server, 'close', { signal: deadline }).catch(() => {}); // until all requests are served
  const unfinished = await limit.close({ signal: deadline });
  console.log(`closed, ${unfinished} unfinished`);
  for (const socket of sockets) socket.destroy(); // a client may keep one open after its session
});
