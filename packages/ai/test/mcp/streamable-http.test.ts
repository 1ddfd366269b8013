import { concurrencyLimit } from '@headgate/express';
import { until } from '@headgate/test-suite';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import express, { type Request, type RequestHandler } from 'express';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { jsonRpcError } from '../../src/mcp.ts';
import { serveTools } from './http-server.ts';
import { toolSuite } from './suite.ts';
import { Tools } from './tools.ts';
import type { CallerV1 } from './version-1.ts';

toolSuite('streamable HTTP', () => serveTools(new Tools()), true);

it('a keyed limit counts each authenticated client by itself, whatever its sessions', async () => {
  const authenticate: RequestHandler = (req, _res, next) => {
    const auth = { token: 'secret', clientId: req.get('x-client') as string, scopes: [] };
    next(void Object.assign(req, { auth }));
  };
  const tools = new Tools();
  const server = await serveTools(tools, authenticate);
  onTestFinished(() => server.stop());
  const [ann, again, bob] = await Promise.all(
    ['ann', 'ann', 'bob'].map((name) => server.connect({ 'x-client': name })),
  );
  const work = (caller?: CallerV1, id = 'a') => caller?.call('session-work', { id }, undefined);
  const first = work(ann);
  await until(() => tools.perSession.holders === 1);
  expect((await work(again))?.isError).toBe(true);
  const other = work(bob, 'b');
  await until(() => tools.perSession.holders === 2);
  for (const id of ['a', 'b']) tools.finish(id);
  for (const result of await Promise.all([first, other])) expect(result?.isError).toBeUndefined();
});

describe('jsonRpcError() in front of a server over streamable HTTP', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  /** A server whose limit of one request is held by a call. */
  async function busyServer(bodyOf: (req: Request) => unknown) {
    const limit = concurrencyLimit({
      ...{ route: 'POST /mcp', limit: 1, queueLimit: 0 },
      // The test itself must be able to finish the call.
      skip: (req) => req.body?.params?.name === 'finish',
      onReject: (rejection, req, res) => {
        const { status, headers, body } = jsonRpcError(rejection, bodyOf(req));
        res.status(status).set(headers).send(body);
      },
    });
    const server = await serveTools(new Tools(), express.json(), limit);
    const client = await server.connect();
    await until(() => limit.holders === 0);
    const call = (name: string) => client.call(name, { id: 'a' }, undefined);
    const held = call('work');
    await until(() => limit.holders === 1);
    stops.push(async () => {
      await call('finish');
      await held;
      await until(() => limit.holders === 0);
      await server.stop();
    });
    return { server, call };
  }

  it('a call fails with the code, the reason and the wait', async () => {
    const { call } = await busyServer((req) => req.body);
    const error = await call('counts').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({
      ...{ code: -32005, data: { reason: 'full', retryAfter: expect.any(Number) } },
      message: expect.stringContaining('The server is busy.'),
    });
  });

  it('a connection fails with the code, the reason and the wait', async () => {
    const { server } = await busyServer((req) => req.body);
    const error = await server.connect().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: -32005, data: { reason: 'full' } });
  });

  it('a call fails with the status and the text if the id of the request is unknown', async () => {
    const { call } = await busyServer(() => undefined);
    const error = await call('counts').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StreamableHTTPError);
    expect(error).toMatchObject({ code: 503, message: expect.stringContaining('-32005') });
  });
});
