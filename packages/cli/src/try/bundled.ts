import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

/** The server to try without one's own: its URL on a free port, and the command that starts it. */
export async function bundledServer() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const program = fileURLToPath(import.meta.url.replace(/(\.[jt]s)$/, '-process$1'));
  return {
    urls: [new URL(`http://127.0.0.1:${port}/article`)],
    weights: [1],
    command: [process.execPath, ...process.execArgv, program],
  };
}
