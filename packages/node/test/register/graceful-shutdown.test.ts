import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { StartedApp } from './started-app.ts';

const require = createRequire(import.meta.url);

/** The import of a library by a program outside this repository. */
const imported = (name: string) => JSON.stringify(pathToFileURL(require.resolve(name)).href);

/** For each library: a function that prepares a server, and returns the function that shuts it down. */
const libraries = {
  none: `(server) => () => new Promise((resolve) => server.close(resolve))`,
  stoppable: `async (server) => {
    const { default: stoppable } = await import(${imported('stoppable')});
    stoppable(server);
    return () => new Promise((resolve) => server.stop(resolve));
  }`,
  '@godaddy/terminus': `async (server) => {
    const { createTerminus } = await import(${imported('@godaddy/terminus')});
    createTerminus(server, { signal: 'SIGUSR2', timeout: 20_000, useExit0: true });
    // It ends the process itself.
    return () => new Promise(() => process.kill(process.pid, 'SIGUSR2'));
  }`,
  '@godaddy/terminus with health checks': `async (server) => {
    const { createTerminus } = await import(${imported('@godaddy/terminus')});
    const healthChecks = { '/health': async () => 'ok' };
    createTerminus(server, { signal: 'SIGUSR2', timeout: 20_000, useExit0: true, healthChecks });
    // It ends the process itself.
    return () => new Promise(() => process.kill(process.pid, 'SIGUSR2'));
  }`,
  'http-terminator': `async (server) => {
    const { createHttpTerminator } = await import(${imported('http-terminator')});
    const terminator = createHttpTerminator({ server, gracefulTerminationTimeout: 20_000 });
    return () => terminator.terminate();
  }`,
  'lil-http-terminator': `async (server) => {
    const { default: terminatorOf } = await import(${imported('lil-http-terminator')});
    const terminator = terminatorOf({ server, gracefulTerminationTimeout: 20_000 });
    return () => terminator.terminate();
  }`,
  'http-graceful-shutdown': `async (server) => {
    const { default: shutdownOf } = await import(${imported('http-graceful-shutdown')});
    return shutdownOf(server, { timeout: 20_000, forceExit: false, signals: '' });
  }`,
};

/**
 * Prints the path of each request that arrives. Responds to `/held` and later requests once `/shutdown` has begun to
 * shut down the server, and ends when that is complete.
 */
const app = (prepare: string) => `
  import { channel } from 'node:diagnostics_channel';
  import { createServer } from 'node:http';
  const server = createServer((req, res) => {
    if (req.url !== '/shutdown') return held.push(res);
    res.end();
    res.on('close', async () => {
      setTimeout(() => { isFinishing = true; for (const each of held) each.end('done'); }, 100);
      await shutDown();
      process.exit();
    });
  });
  const held = [];
  held.push = (res) => isFinishing ? res.end('done') : Array.prototype.push.call(held, res);
  let isFinishing = false;
  const shutDown = await (${prepare})(server);
  server.listen(0, '127.0.0.1', function () { console.log(this.address().port); });
  channel('http.server.request.start').subscribe(({ request, response }) => {
    console.log(request.url);
    response.on('close', () => console.log('closed ' + request.url));
  });
`;

const HEADGATE = JSON.stringify({ limit: 1, queueLimit: 2, skip: ['/shutdown'] });

it.each(Object.entries(libraries))(
  'queued requests are served during a graceful shutdown: %s',
  async (_, prepare) => {
    const started = new StartedApp({ app: app(prepare), HEADGATE });
    const sent = async (path: string, signal?: AbortSignal) => {
      const response = fetch(await started.url(path), { signal: signal ?? null });
      expect(await started.line()).toBe(path);
      return { response };
    };
    const held = await sent('/held');
    const queued = await sent('/queued');
    const leaving = new AbortController();
    const aborted = await sent('/aborted', leaving.signal);
    const rejected = await sent('/rejected');
    expect((await rejected.response).status).toBe(503);
    expect(await started.line()).toBe('closed /rejected');
    leaving.abort();
    await expect(aborted.response).rejects.toThrow('aborted');
    expect(await started.line()).toBe('closed /aborted');
    await sent('/shutdown');
    const served = await Promise.all([held.response, queued.response]);
    for (const response of served) expect(await response.text()).toBe('done');
    expect(await started.exit).toBe(0);
  },
);
