import { concurrencyLimit } from '@headgate/hono';
import { until } from '@headgate/test-suite';
import {
  InMemoryTransport,
  ProtocolError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { expect, it } from 'vitest';
import { jsonRpcError } from '../../src/mcp.ts';
import { serveApp } from '../serve-app.ts';
import { toolSuite } from './suite.ts';
import { Tools } from './tools.ts';
import { CallerV2, serverV2 } from './version-2.ts';

async function inMemory() {
  const tools = new Tools();
  const callers: CallerV2[] = [];
  return {
    async connect() {
      const [ofClient, ofServer] = InMemoryTransport.createLinkedPair();
      ofServer.sessionId = `session ${callers.length}`;
      await serverV2(tools).connect(ofServer);
      const caller = new CallerV2();
      callers.push(caller);
      return caller.connect(ofClient);
    },
    async stop() {
      for (const caller of callers) await caller.close();
    },
  };
}

/** Each request has a server of its own, and there are no sessions. */
async function overHttp(middleware?: MiddlewareHandler) {
  const tools = new Tools();
  const handler = createMcpHandler(() => serverV2(tools));
  const app = new Hono();
  if (middleware !== undefined) app.use(middleware);
  app.all('/mcp', (c) => handler.fetch(c.req.raw));
  const { url, stop } = await serveApp(app);
  const callers: CallerV2[] = [];
  return {
    connect() {
      const caller = new CallerV2();
      callers.push(caller);
      return caller.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
    },
    async stop() {
      for (const caller of callers) await caller.close();
      await handler.close();
      await stop();
    },
  };
}

toolSuite('a transport in memory, with version 2 of the SDK', inMemory, true);
toolSuite('streamable HTTP, with version 2 of the SDK', () => overHttp(), false);

it('jsonRpcError() reaches the caller of a client of version 2', async () => {
  const body = (c: Context) =>
    c.req.raw
      .clone()
      .json()
      .catch(() => undefined);
  const limit = concurrencyLimit({
    ...{ route: 'POST /mcp', limit: 1, queueLimit: 0 },
    onReject: async (rejection, c) => {
      const { status, headers, body: text } = jsonRpcError(rejection, await body(c));
      return new Response(text, { status, headers });
    },
  });
  // The test itself must be able to finish the call.
  const unlessFinish: MiddlewareHandler = async (c, next) =>
    (await body(c))?.params?.name === 'finish' ? next() : limit(c, next);
  const server = await overHttp(unlessFinish);
  const client = await server.connect();
  await until(() => limit.holders === 0);
  const held = client.call('work', { id: 'a' }, undefined);
  await until(() => limit.holders === 1);
  const error = await client.call('counts', {}, undefined).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ProtocolError);
  expect(error).toMatchObject({
    code: -32005,
    data: { reason: 'full', retryAfter: expect.any(Number) },
  });
  await client.call('finish', { id: 'a' }, undefined);
  await held;
  await until(() => limit.holders === 0);
  await server.stop();
});
