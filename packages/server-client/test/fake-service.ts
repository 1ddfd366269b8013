import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
  /** When it arrived, in milliseconds of the monotonic clock. */
  readonly at: number;
}

type Answer = readonly [status: number, text: string];

/** Answers a request. Undefined leaves it unanswered; `cut` closes the connection without an answer. */
export type Script = (asked: Asked) => Answer | 'cut' | undefined | Promise<Answer>;

/** A scripted service that records its requests. */
export interface FakeService {
  readonly url: string;
  readonly asked: Asked[];
  script: Script;
  closeIdle(): void;
}

/** The service's answers when nothing is wrong. */
export const fine: Script = ({ method, path }) => {
  const [, , peer = '', semaphore] = path.split('/');
  if (method === 'DELETE' && semaphore === undefined) return [200, '"Peer released"'];
  if (method === 'PUT' && semaphore !== undefined) return [200, peer];
  return [200, 'Ok'];
};

export async function startFake(script: Script = fine): Promise<FakeService> {
  const server = createServer((request, response) => void answer(request, response));
  const asked: Asked[] = [];
  const fake = { url: '', asked, script, closeIdle: () => server.closeIdleConnections() };
  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { method = '', headers } = request;
    const { pathname, searchParams: query } = new URL(request.url as string, 'http://fake');
    let body = '';
    for await (const chunk of request) body += chunk;
    const ask = { method, path: pathname, query, body, headers, at: performance.now() };
    asked.push(ask);
    const scripted = await fake.script(ask);
    if (scripted === 'cut') request.socket.destroy();
    else if (scripted !== undefined) response.writeHead(scripted[0]).end(scripted[1]);
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}
