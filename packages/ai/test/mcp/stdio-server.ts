// A process that serves the limited tools over stdio.
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { Tools } from './tools.ts';
import { serverV1 } from './version-1.ts';

await serverV1(new Tools()).connect(new StdioServerTransport());
