// A gateway in front of the provider, with the contender that the first argument names.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Admit, contenders } from './contenders.ts';
import { tenantHeader, tokensHeader } from './scenario.ts';

const [name = '', provider = ''] = process.argv.slice(2);
const admit = (contenders[name] as () => Admit)();

const server = createServer(async (req: IncomingMessage, res: ServerResponse) => {
  const left = new AbortController();
  res.once('close', () => left.abort());
  const admitted = await admit(req.headers[tenantHeader] as string, left.signal);
  if (admitted === undefined) return void res.writeHead(503).end();
  if (left.signal.aborted) return admitted.release();
  const headers = { [tokensHeader]: req.headers[tokensHeader] };
  let tokens = 0;
  request(`http://127.0.0.1:${provider}`, { headers, signal: left.signal }, (answer) => {
    answer.on('data', (data: Buffer) => {
      for (const byte of data) if (byte === 0x3a) admitted.used(++tokens);
    });
    answer.pipe(res);
  })
    .on('error', () => res.destroy())
    .once('close', () => admitted.release())
    .end();
});

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
