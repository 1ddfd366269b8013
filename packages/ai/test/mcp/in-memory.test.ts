import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { toolSuite } from './suite.ts';
import { Tools } from './tools.ts';
import { CallerV1, serverV1 } from './version-1.ts';

async function start() {
  const tools = new Tools();
  const callers: CallerV1[] = [];
  return {
    async connect() {
      const [ofClient, ofServer] = InMemoryTransport.createLinkedPair();
      ofServer.sessionId = `session ${callers.length}`;
      await serverV1(tools).connect(ofServer);
      const caller = new CallerV1();
      callers.push(caller);
      return caller.connect(ofClient);
    },
    async stop() {
      for (const caller of callers) await caller.close();
    },
  };
}

toolSuite('a transport in memory', start, true);
