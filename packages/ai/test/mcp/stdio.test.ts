import { bundle } from '@headgate/test-servers';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { toolSuite } from './suite.ts';
import { CallerV1 } from './version-1.ts';

async function start() {
  const program = await bundle(new URL('./stdio-server.ts', import.meta.url));
  const caller = new CallerV1();
  return {
    connect: () =>
      caller.connect(new StdioClientTransport({ command: process.execPath, args: [program] })),
    stop: () => caller.close(),
  };
}

toolSuite('stdio', start, false);
