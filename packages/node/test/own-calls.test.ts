import { once } from 'node:events';
import http, { type RequestListener, type Server } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { type ConcurrencyLimitOptions, concurrencyLimit } from '@headgate/node';
import { createCertificate } from '@headgate/test-servers';
import { Call, counts, Latch, until, VirtualClock } from '@headgate/test-suite';
import { collectWarnings } from '@headgate/test-suite/kit';
import { Client } from 'undici';
import { expect, it, onTestFinished } from 'vitest';

async function listening(server: Server | http2.Http2Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function serve(
  handler: RequestListener,
  options: Pick<ConcurrencyLimitOptions, 'skip' | 'queueTimeout'> = {},
) {
  const limit = concurrencyLimit({ limit: 1, queueTimeout: 20, ...options });
  return { limit, port: await listening(http.createServer(limit(handler))) };
}

/** Connects from this port, as soon as no other process of the machine uses it. */
async function connectedFrom(localPort: number, port: number): Promise<Socket> {
  for (;;) {
    const socket = connect({ port, host: '127.0.0.1', localPort });
    onTestFinished(() => void socket.destroy());
    try {
      await once(socket, 'connect');
      return socket;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      await setImmediate();
    }
  }
}

it('a stranger that reuses the port of an own call waits', async () => {
  let finish = () => {};
  // Below the ports that a system chooses, so that no other connection takes it meanwhile.
  const localPort = 20_000 + (process.pid % 10_000);
  const { limit, port } = await serve(
    (req, res) => {
      if (req.url === '/inner') return res.end();
      if (req.url !== '/page') return;
      const options = { port, path: '/skipped', agent: false, localPort };
      const call = http.get(options).on('error', () => {});
      call.on('socket', (socket) => sent.push(socket));
      finish = () => res.end();
    },
    { skip: (req) => req.url === '/skipped', queueTimeout: 10_000 },
  );
  const sent: Socket[] = [];
  const page = new Call(port, '/page', {});
  await until(() => sent.some(({ localPort }) => localPort !== undefined));
  const [socket] = sent as [Socket];
  const closed = once(socket, 'close');
  socket.resetAndDestroy();
  await closed;
  const stranger = await connectedFrom(localPort, port);
  stranger.write('GET /inner HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await counts(limit, 1, 1);
  finish();
  expect(await page.answer()).toMatchObject({ status: 200 });
  expect(await text(stranger)).toContain('200 OK');
  expect(limit.stats().reentered).toBe(0);
});

it('pipelined own calls wait, since the server may read another one first', async () => {
  collectWarnings('HEADGATE_NESTED_WAIT');
  const { limit, port } = await serve(async (req, res) => {
    if (req.url !== '/page') return res.end();
    const client = new Client(`http://127.0.0.1:${port}`, { pipelining: 3 });
    onTestFinished(() => client.destroy());
    const calls = [1, 2, 3].map(async () => {
      const { statusCode, body } = await client.request({
        method: 'GET',
        path: '/inner',
        blocking: false,
      });
      await body.dump();
      return statusCode;
    });
    res.end(String(await Promise.all(calls)));
  });
  expect(await new Call(port, '/page', {}).answer()).toMatchObject({ body: '503,503,503' });
  expect(limit.stats().reentered).toBe(0);
});

it('what a handler has started calls the app as an ordinary client once the handler is done, even if its client left', async () => {
  collectWarnings('HEADGATE_NESTED_WAIT');
  const status = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/inner`);
    await response.text();
    return response.status;
  };
  const isDone = new Latch();
  const statuses: number[] = [];
  const { limit, port } = await serve(async (req, res) => {
    if (req.url === '/inner') return res.end();
    await status();
    const left = once(res, 'close');
    void isDone.opened.then(async () => {
      while (statuses.length < 5) statuses.push(await status());
    });
    page.abort();
    await left;
  });
  const page = new Call(port, '/page', {});
  await until(() => limit.stats().reentered === 1 && limit.holders === 0);
  isDone.open();
  await until(() => statuses.length === 5);
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  expect(limit.stats()).toMatchObject({ reentered: 1, admitted: 6 });
});

it('a page that only passes on an own call to a slow client does not count', async () => {
  const body = Buffer.alloc(20_000_000);
  const limit = concurrencyLimit();
  const server = http.createServer(
    limit((req, res) => {
      if (req.url === '/file') return void res.end(body);
      http.get({ port, path: '/file' }, (file) => void file.pipe(res));
    }),
  );
  const port = await listening(server);
  const sockets = Array.from({ length: 5 }, () => connect({ port, host: '127.0.0.1' }));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) {
    socket.pause();
    socket.write('GET /page HTTP/1.1\r\nHost: a\r\n\r\n');
  }
  await until(() => limit.stats().admitted >= 5 && limit.stats().limits[0]?.inflight === 0);
  expect(limit.holders).toBeGreaterThan(0);
});

it('a handler whose client has left calls its app on the permit that it still holds', async () => {
  const called = new Latch();
  let status = 0;
  const { limit, port } = await serve(async (req, res) => {
    if (req.url !== '/page') return res.end();
    await once(res, 'close');
    ({ status } = await fetch(`http://127.0.0.1:${port}/inner`));
    called.open();
  });
  const page = new Call(port, '/page', {});
  await counts(limit, 1, 0);
  page.abort();
  await called.opened;
  expect(status).toBe(200);
  expect(limit.stats().reentered).toBe(1);
  await counts(limit, 0, 0);
});

it('a streamed request over a connection that an own call has used waits', async () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  let finish = () => {};
  const { limit, port } = await serve(
    async (req, res) => {
      if (req.url !== '/page') return res.end();
      const [inner] = (await once(http.get({ port, agent, path: '/skipped' }), 'response')) as [
        http.IncomingMessage,
      ];
      inner.resume();
      finish = () => res.end();
    },
    { skip: (req) => req.url === '/skipped', queueTimeout: 10_000 },
  );
  const page = new Call(port, '/page', {});
  await until(() => Object.keys(agent.freeSockets).length === 1);
  const upload = http.request({ port, agent, method: 'POST' });
  upload.write('some of it');
  await counts(limit, 1, 1);
  upload.end();
  finish();
  expect(await page.answer()).toMatchObject({ status: 200 });
  const [response] = (await once(upload, 'response')) as [http.IncomingMessage];
  expect(await text(response)).toBe('');
  expect(limit.stats().reentered).toBe(0);
});

it('a response that is being sent counts while own calls run on its permit', async () => {
  const clock = new VirtualClock();
  const limit = concurrencyLimit({ clock });
  const responses = new Map<string | undefined, http.ServerResponse>();
  const handler: RequestListener = (req, res) => {
    responses.set(req.url, res);
    if (req.url === '/page') void fetch(`http://127.0.0.1:${port}/inner`);
    if (req.url === '/page') res.write('some');
  };
  const port = await listening(http.createServer(limit(handler)));
  const page = new Call(port, '/page', {});
  await page.response;
  await until(() => limit.stats().reentered === 1);
  const limiter = Object.values(limit.limiters)[0];
  clock.advance(500);
  expect([limiter?.inflight, limiter?.holders]).toEqual([1, 1]);
  responses.get('/inner')?.end();
  await until(() => {
    clock.advance(200);
    return limiter?.inflight === 0;
  });
  expect(limiter?.holders).toBe(1);
  responses.get('/page')?.end();
  expect(await page.answer()).toMatchObject({ status: 200 });
});

it('an own call that waits for another limit than its page holds is warned of, once', async () => {
  const warnings = collectWarnings('HEADGATE_NESTED_WAIT');
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  const pages = { name: 'pages', limit: 9, route: '/page' };
  const inner = { name: 'inner', limit: 1, route: '/inner' };
  const limit = concurrencyLimit({ limits: [pages, inner] });
  const responses: http.ServerResponse[] = [];
  const handler: RequestListener = async (req, res) => {
    if (req.url === '/inner') responses.push(res);
    else res.writeHead(await get('/inner')).end();
  };
  const port = await listening(http.createServer(limit(handler)));
  const calls = [get('/page'), get('/page'), get('/page')];
  await counts(limit, 4, 2);
  for (let done = 0; done < 3; done++) {
    await until(() => responses.length > done);
    responses[done]?.end();
  }
  expect(await Promise.all(calls)).toEqual([200, 200, 200]);
  expect(limit.stats().reentered).toBe(0);
  const expected = /of the app to itself is queued for "inner".*permit of "pages"/;
  expect(warnings).toEqual([expect.stringMatching(expected)]);
});

it('own calls over TLS run on the permit of the request that made them', async () => {
  const { cert, key } = await createCertificate();
  const limit = concurrencyLimit({ limit: 1, queueTimeout: 20 });
  const get = async (path: string): Promise<number> => {
    const request = https.get({ port, path, ca: cert, host: '127.0.0.1', agent: false });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.resume();
    return response.statusCode ?? 0;
  };
  const handler: RequestListener = async (req, res) => {
    res.writeHead(req.url === '/page' ? await get('/inner') : 200).end();
  };
  const port = await listening(https.createServer({ cert, key }, limit(handler)));
  expect(await get('/page')).toBe(200);
  expect(limit.stats().reentered).toBe(1);
});

it('own calls over HTTP/2 wait like any other request', async () => {
  const limit = concurrencyLimit<http2.Http2ServerRequest>({ limit: 1, queueTimeout: 20 });
  const session = await new Promise<http2.ClientHttp2Session>((resolve) => {
    const server = http2.createServer(
      limit(async (req, res) => {
        if (req.url !== '/page') return res.end();
        res.writeHead(await statusOf('/inner'));
        res.end();
      }),
    );
    void listening(server).then((port) => resolve(http2.connect(`http://127.0.0.1:${port}`)));
  });
  onTestFinished(() => session.destroy());
  const statusOf = async (path: string): Promise<number> => {
    const stream = session.request({ ':path': path });
    const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
    stream.resume();
    return Number(headers[':status']);
  };
  expect(await statusOf('/page')).toBe(503);
  expect(limit.stats().reentered).toBe(0);
});
