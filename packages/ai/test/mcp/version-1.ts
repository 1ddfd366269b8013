import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { limitTool } from '../../src/mcp.ts';
import type { Caller } from './suite.ts';
import type { Tools } from './tools.ts';

/** A server of version 1 of the SDK, for one connection. */
export function serverV1(tools: Tools): McpServer {
  const server = new McpServer({ name: 'tools', version: '1.0.0' });
  const { limiter, perSession } = tools;
  const inputSchema = { id: z.string() };
  server.registerTool(
    'work',
    { inputSchema },
    limitTool(limiter, ({ id }, { signal }) => tools.work(id, signal)),
  );
  server.registerTool(
    'session-work',
    { inputSchema },
    limitTool(perSession, ({ id }, { signal }) => tools.work(id, signal), {
      key: (_args, { authInfo, sessionId }) => authInfo?.clientId ?? sessionId,
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

/** A client of version 1 of the SDK. */
export class CallerV1 implements Caller {
  readonly #client = new Client({ name: 'test', version: '1.0.0' });

  async connect(transport: Transport): Promise<this> {
    await this.#client.connect(transport);
    return this;
  }

  readonly call: Caller['call'] = async (name, args, options) =>
    (await this.#client.callTool({ name, arguments: args }, undefined, options)) as CallToolResult;

  close(): Promise<void> {
    return this.#client.close();
  }
}
