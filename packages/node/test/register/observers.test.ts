import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { counts, RawSocket, until } from '@headgate/test-suite';
import { collectErrors } from '@headgate/test-suite/kit';
import { expect, it } from 'vitest';
import { limited, listening } from './limited-server.ts';

/** Records which listener has been called for which request, in order. */
class Calls {
  readonly all: string[] = [];
  /** The responses that the app has not ended. */
  readonly responses = new Map<string | undefined, ServerResponse>();

  readonly app: RequestListener = (req, res) => {
    this.all.push(`app ${req.url}`);
    this.responses.set(req.url, res);
  };

  readonly observer =
    (name: string): RequestListener =>
    (req) => {
      this.all.push(`${name} ${req.url}`);
    };

  finish(path: string): void {
    this.responses.get(path)?.end(`answer to ${path}`);
  }
}

/** A server with these listeners, whose only permit is held by a request for `/held`; and what may be sent to it. */
async function busy(calls: Calls, createdBy: () => Server) {
  const limit = limited({ limit: 1, queueLimit: 1 });
  const server = createdBy();
  const port = await listening(server);
  const send = (path: string, ...headers: string[]) => {
    const client = new RawSocket(port);
    client.request(`GET ${path}`, ...headers);
    return client;
  };
  send('/held');
  await counts(limit, 1);
  calls.all.splice(0);
  return { limit, server, send };
}

it('observers are called once and in order when a request is queued, and the app when it is admitted', async () => {
  const calls = new Calls();
  const { limit, send } = await busy(calls, () =>
    createServer(calls.app)
      .on('request', calls.observer('first'))
      .on('request', calls.observer('second')),
  );
  const queued = send('/queued');
  await counts(limit, 1, 1);
  expect(calls.all).toEqual(['first /queued', 'second /queued']);
  calls.finish('/held');
  await until(() => calls.all.length > 2);
  expect(calls.all.slice(2)).toEqual(['app /queued']);
  calls.finish('/queued');
  await queued.receives(/answer to \/queued/);
  await counts(limit, 0);
});

it('the listeners of a request that is admitted at once are called in their order', async () => {
  const calls = new Calls();
  const { limit, send, server } = await busy(calls, () =>
    createServer(calls.app).on('request', calls.observer('second')),
  );
  server.prependListener('request', calls.observer('first'));
  calls.finish('/held');
  await counts(limit, 0);
  send('/admitted');
  await counts(limit, 1);
  expect(calls.all).toEqual(['first /admitted', 'app /admitted', 'second /admitted']);
});

it('observers are called for a request that is rejected', async () => {
  const calls = new Calls();
  const { limit, send } = await busy(calls, () =>
    createServer(calls.app).on('request', (req, res) => {
      res.on('finish', () => calls.all.push(`${req.url} ${res.statusCode}`));
    }),
  );
  send('/queued');
  await counts(limit, 1, 1);
  await send('/rejected').receives(/503/);
  expect(calls.all).toEqual(['/rejected 503']);
});

it('observers are called for a queued request whose client leaves', async () => {
  const calls = new Calls();
  const { limit, send } = await busy(calls, () =>
    createServer(calls.app).on('request', (req, res) => {
      res.on('close', () => calls.all.push(`${req.url} ${res.writableFinished}`));
    }),
  );
  const leaver = send('/leaver');
  await counts(limit, 1, 1);
  await leaver.destroy();
  await counts(limit, 1, 0);
  expect(calls.all).toEqual(['/leaver false']);
});

it('observers are called for a request with which a function of the options fails', async () => {
  const calls = new Calls();
  const limit = limited({
    limit: 1,
    skip: () => {
      throw new Error('a bug');
    },
  });
  const printed = collectErrors(/a bug/);
  const port = await listening(createServer(calls.app).on('request', calls.observer('observer')));
  const client = new RawSocket(port);
  client.request('GET /');
  await client.receives(/500/);
  expect(calls.all).toEqual(['observer /']);
  expect(printed).toHaveLength(1);
  expect(limit.holders).toBe(0);
});

it.each<[string, (calls: Calls) => Server]>([
  [
    'was prepended to the app',
    (calls) => createServer(calls.app).prependListener('request', calls.observer('observer')),
  ],
  [
    'was added after another listener had replaced the app, as Socket.IO does',
    (calls) => {
      const server = createServer(calls.app);
      const apps = server.listeners('request');
      server.removeAllListeners('request');
      server.on('request', (req, res) => {
        for (const app of apps) app.call(server, req, res);
      });
      return server.on('request', calls.observer('observer'));
    },
  ],
])('a queued request is observed by a listener that %s', async (_, create) => {
  const calls = new Calls();
  const { limit, send } = await busy(calls, () => create(calls));
  send('/queued');
  await counts(limit, 1, 1);
  expect(calls.all).toEqual(['observer /queued']);
  calls.finish('/held');
  await until(() => calls.all.length > 1);
  expect(calls.all.slice(1)).toEqual(['app /queued']);
});

it.each<[string, (calls: Calls) => Server]>([
  [
    'the server was created without a listener',
    (calls) => createServer().on('request', calls.observer('first')).on('request', calls.app),
  ],
  [
    'the app was replaced while another listener was registered',
    (calls) => {
      const before = () => {};
      const server = createServer(before).on('request', calls.observer('first'));
      return server.off('request', before).on('request', calls.app);
    },
  ],
])('all listeners wait if it is unknown which of them is the app: %s', async (_, create) => {
  const calls = new Calls();
  const { limit, send } = await busy(calls, () => create(calls));
  send('/queued');
  await counts(limit, 1, 1);
  expect(calls.all).toEqual([]);
  calls.finish('/held');
  await until(() => calls.all.length > 1);
  expect(calls.all).toEqual(['first /queued', 'app /queued']);
});

it('a listener that is added while a request is queued is called with the app', async () => {
  const calls = new Calls();
  const { limit, send, server } = await busy(calls, () => createServer(calls.app));
  send('/queued');
  await counts(limit, 1, 1);
  server.on('request', calls.observer('late'));
  calls.finish('/held');
  await until(() => calls.all.length > 0);
  expect(calls.all).toEqual(['app /queued', 'late /queued']);
});

it('an observer that throws is an uncaught exception, and the queued request is served', async () => {
  const calls = new Calls();
  const { limit, send, server } = await busy(calls, () => createServer(calls.app));
  const bug = new Error('a bug');
  server.once('request', () => {
    throw bug;
  });
  const errors = await uncaughtIn(async () => {
    send('/queued');
    await counts(limit, 1, 1);
  });
  expect(errors).toEqual([bug]);
  calls.finish('/held');
  await until(() => calls.all.length > 0);
  expect(calls.all).toEqual(['app /queued']);
});

it('the listeners of checkContinue wait', async () => {
  const calls = new Calls();
  const { limit, send } = await busy(calls, () =>
    createServer(calls.app)
      .on('request', calls.observer('observer'))
      .on('checkContinue', calls.app),
  );
  send('/queued', 'Expect: 100-continue', 'Content-Length: 1');
  await counts(limit, 1, 1);
  expect(calls.all).toEqual([]);
  calls.finish('/held');
  await until(() => calls.all.length > 0);
  expect(calls.all).toEqual(['app /queued']);
});

it('an observer may set header fields of a response, also of a rejection', async () => {
  const calls = new Calls();
  const { limit, send } = await busy(calls, () =>
    createServer(calls.app).on('request', (_req, res) => res.setHeader('x-request-id', '7')),
  );
  send('/queued');
  await counts(limit, 1, 1);
  const rejected = send('/rejected');
  await rejected.receives(/^HTTP\/1.1 503 .*\r\nx-request-id: 7\r\n/is);
});

it('a request to which another listener responds is not rejected', async () => {
  const calls = new Calls();
  const { limit, send } = await busy(calls, () =>
    createServer(calls.app).on('request', (req, res) => {
      if (req.url === '/other') res.end('by another listener');
    }),
  );
  send('/queued');
  await counts(limit, 1, 1);
  const other = send('/other');
  await other.receives(/^HTTP\/1.1 200 .*by another listener/s);
});
