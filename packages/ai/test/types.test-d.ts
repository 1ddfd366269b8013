import { createLimiter } from '@headgate/core';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { McpServer as McpServerV2, ServerContext } from '@modelcontextprotocol/server';
import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { limitTool } from '../src/mcp.ts';

declare const server: McpServer;
declare const serverV2: McpServerV2;
const limiter = createLimiter({ limit: 1 });

it('the arguments of a limited handler have the types that the SDK gives them', () => {
  server.registerTool(
    'search',
    { inputSchema: { query: z.string(), limit: z.number().optional() } },
    limitTool(limiter, async ({ query, limit }, extra) => {
      expectTypeOf(query).toEqualTypeOf<string>();
      expectTypeOf(limit).toEqualTypeOf<number | undefined>();
      expectTypeOf(extra.signal).toEqualTypeOf<AbortSignal>();
      return { content: [{ type: 'text', text: query }] };
    }),
  );
});

it('a tool without an input schema can be limited', () => {
  const content = [{ type: 'text' as const, text: 'now' }];
  server.registerTool(
    'now',
    {},
    limitTool(limiter, async () => ({ content })),
  );
  server.registerTool(
    'later',
    {},
    limitTool(limiter, ({ signal }: RequestHandlerExtra<ServerRequest, ServerNotification>) => ({
      content: [{ type: 'text', text: `${signal.aborted}` }],
    })),
  );
});

it('key gets the arguments of the call, also if the handler declares fewer', () => {
  server.registerTool(
    'per-session',
    { inputSchema: { query: z.string() } },
    limitTool(limiter, async ({ query }) => ({ content: [{ type: 'text', text: query }] }), {
      key: ({ query }, { sessionId }) => sessionId ?? query,
    }),
  );
});

it('a tool with an output schema can be limited', () => {
  server.registerTool(
    'count',
    { outputSchema: { count: z.number() } },
    limitTool(limiter, async () => ({ content: [], structuredContent: { count: 1 } })),
  );
});

it('a handler that is declared elsewhere can be limited', () => {
  const handler = async ({ query }: { query: string }) => ({
    content: [{ type: 'text' as const, text: query }],
  });
  const limited = limitTool(limiter, handler);
  server.registerTool('elsewhere', { inputSchema: { query: z.string() } }, limited);
});

it('version 2 of the SDK has the same types in other places', () => {
  const inputSchema = z.object({ query: z.string() });
  serverV2.registerTool(
    'search',
    { inputSchema },
    limitTool(
      limiter,
      async ({ query }, { mcpReq }) => {
        expectTypeOf(query).toEqualTypeOf<string>();
        expectTypeOf(mcpReq.signal).toEqualTypeOf<AbortSignal>();
        return { content: [{ type: 'text', text: query }] };
      },
      { key: (_args, { sessionId }) => sessionId },
    ),
  );
  serverV2.registerTool(
    'now',
    {},
    limitTool(limiter, ({ sessionId }: ServerContext) => ({
      content: [{ type: 'text', text: `${sessionId}` }],
    })),
  );
});
