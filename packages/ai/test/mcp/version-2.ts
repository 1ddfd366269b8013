import { Client, type Transport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { limitTool } from '../../src/mcp.ts';
import type { Caller } from './suite.ts';
import type { Tools } from './tools.ts';

/** A server of version 2 of the SDK, for one connection or one request. */
export function serverV2(tools: Tools): McpServer {
  const server = new McpServer({ name: 'tools', version: '1.0.0' });
  const { limiter, perSession } = tools;
  const inputSchema = z.object({ id: z.string() });
  server.registerTool(
    'work',
    { inputSchema },
    limitTool(limiter, ({ id }, { mcpReq }) => tools.work(id, mcpReq.signal)),
  );
  server.registerTool(
    'session-work',
    { inputSchema },
    limitTool(perSession, ({ id }, { mcpReq }) => tools.work(id, mcpReq.signal), {
      key: (_args, { sessionId }) => sessionId,
    }),
  );
  server.registerTool(
    'fail',
    {},
    limitTool(limiter, () => tools.fail()),
  );
  server.registerTool('finish', { inputSchema }, ({ id }) => tools.finish(id));
  server.registerTool('counts', {}, () => tools.counts());
  return server;
}

/** A client of version 2 of the SDK. */
export class CallerV2 implements Caller {
  readonly #client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  );

  async connect(transport: Transport): Promise<this> {
    await this.#client.connect(transport);
    return this;
  }

  readonly call: Caller['call'] = (name, args, options) =>
    this.#client.callTool({ name, arguments: args }, options);

  close(): Promise<void> {
    return this.#client.close();
  }
}
