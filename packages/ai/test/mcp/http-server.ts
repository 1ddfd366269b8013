import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express, { type RequestHandler } from 'express';
import type { Tools } from './tools.ts';
import { CallerV1, serverV1 } from './version-1.ts';

/** Serves the tools over streamable HTTP, behind the middleware. */
export async function serveTools(tools: Tools, ...middleware: RequestHandler[]) {
  const transports = new Map<string, StreamableHTTPServerTransport>();

  async function open(): Promise<StreamableHTTPServerTransport> {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    await serverV1(tools).connect(transport);
    return transport;
  }

  const app = express();
  app.use(...middleware, express.json());
  app.all('/mcp', async (req, res) => {
    const transport = transports.get(req.get('mcp-session-id') ?? '') ?? (await open());
    await transport.handleRequest(req, res, req.body);
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  const callers: CallerV1[] = [];

  return {
    connect(headers: Record<string, string> = {}): Promise<CallerV1> {
      const caller = new CallerV1();
      callers.push(caller);
      return caller.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    },
    async stop(): Promise<void> {
      for (const caller of callers) await caller.close();
      for (const transport of transports.values()) await transport.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
