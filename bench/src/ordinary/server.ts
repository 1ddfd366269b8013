/**
 * A server whose handlers hardly compute. It is started with `none`, `default`, or the number of a fixed limit; the port
 * is sent to the parent. Paths: `/wait/MS`; `/hang/MS` waits for a dependency that hangs from the first such request on,
 * for that time in all; `/page` requests `/wait/20` of this server; `/stream` never ends.
 */
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/node';

const [kind = 'none', queueTimeout] = process.argv.slice(2);
let hangsUntil: number | undefined;

const handler: RequestListener = async (req, res) => {
  const [, name, time] = (req.url ?? '').split('/');
  if (name === 'wait') await wait(Number(time));
  if (name === 'hang') {
    hangsUntil ??= performance.now() + Number(time);
    await wait(Math.max(5, hangsUntil - performance.now()));
  }
  if (name === 'stream') return void res.write('begun\n');
  if (name === 'page') {
    const { port } = server.address() as AddressInfo;
    const { status } = await fetch(`http://127.0.0.1:${port}/wait/20`);
    res.statusCode = status;
  }
  res.end('done');
};

const limited = () =>
  concurrencyLimit({
    ...(kind === 'default' ? {} : { limit: Number(kind) }),
    ...(queueTimeout === undefined ? {} : { queueTimeout: Number(queueTimeout) }),
  })(handler);
const server = http.createServer(kind === 'none' ? handler : limited());
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
