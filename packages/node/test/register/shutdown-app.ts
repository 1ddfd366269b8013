import { channel } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTerminus, type TerminusOptions } from '@godaddy/terminus';
import shutdownOf from 'http-graceful-shutdown';
import { createHttpTerminator } from 'http-terminator';
import lilTerminatorOf from 'lil-http-terminator';
import stoppable from 'stoppable';

type Library = (server: Server) => () => Promise<unknown>;

/** Longer than the test waits. */
const TIMEOUT_MS = 60_000;

/** It ends the process itself. */
const terminus =
  (options: TerminusOptions): Library =>
  (server) => {
    createTerminus(server, { signal: 'SIGUSR2', timeout: TIMEOUT_MS, useExit0: true, ...options });
    return () => new Promise(() => process.kill(process.pid, 'SIGUSR2'));
  };

/** Each prepares a server, and returns the function that shuts it down. */
export const libraries: Record<string, Library> = {
  none: (server) => () => new Promise((resolve) => server.close(resolve)),
  stoppable: (server) => {
    const stoppableServer = stoppable(server);
    return () => new Promise((resolve) => stoppableServer.stop(resolve));
  },
  '@godaddy/terminus': terminus({}),
  '@godaddy/terminus with health checks': terminus({
    healthChecks: { '/health': async () => 'ok' },
  }),
  'http-terminator': (server) => {
    const terminator = createHttpTerminator({ server, gracefulTerminationTimeout: TIMEOUT_MS });
    return () => terminator.terminate();
  },
  'lil-http-terminator': (server) => {
    const terminator = lilTerminatorOf({ server, gracefulTerminationTimeout: TIMEOUT_MS });
    return () => terminator.terminate();
  },
  'http-graceful-shutdown': (server) =>
    shutdownOf(server, { timeout: TIMEOUT_MS, forceExit: false, signals: '' }),
};

/**
 * Serves an app that knows nothing of Headgate, and prints the port and which requests arrive and end. It responds when
 * `/shutdown` has begun to shut down the server. The process ends when the server has been shut down.
 */
export function serve(library: Library): void {
  const held: ServerResponse[] = [];
  let isFinishing = false;
  const finish = () => {
    isFinishing = true;
    for (const res of held) res.end('done');
  };
  const server = createServer((req, res) => {
    if (req.url === '/shutdown') {
      res.end();
      // Later than anything that the library does at once.
      setTimeout(finish, 100);
      return void shutDown().then(() => process.exit());
    }
    if (isFinishing) return res.end('done');
    held.push(res);
  });
  const shutDown = library(server);
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
  channel('http.server.request.start').subscribe((message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    console.log(request.url);
    response.on('close', () => console.log(`closed ${request.url}`));
  });
}
