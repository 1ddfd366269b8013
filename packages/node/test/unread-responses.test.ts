import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import http2 from 'node:http2';
import { type AddressInfo, connect, type Server } from 'node:net';
import { type ConcurrencyLimitOptions, concurrencyLimit } from '@headgate/node';
import { counts, VirtualClock } from '@headgate/test-suite';
import { expect, it, onTestFinished } from 'vitest';

/** More than the client and the kernel buffer. */
const large = Buffer.alloc(64 * 1024 * 1024);

/** Milliseconds. */
const TIMEOUT = 50;

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Serves a large response over HTTP/2 to a client that does not read it. */
async function unread(
  options: Pick<ConcurrencyLimitOptions, 'clock' | 'maxHold'>,
  prepare: (res: http2.Http2ServerResponse) => void = () => {},
) {
  const limit = concurrencyLimit<http2.Http2ServerRequest>({ limit: 1, ...options });
  const listener = limit((_req, res) => {
    prepare(res);
    res.end(large);
  });
  const port = await listen(http2.createServer(listener));
  const session = http2.connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  const stream = session.request();
  stream.on('error', () => {});
  await once(stream, 'response');
  expect(limit.holders).toBe(1);
  return { limit, stream };
}

it('over HTTP/2, holds the permit of an unread response until maxHold has passed', async () => {
  const clock = new VirtualClock();
  const { limit } = await unread({ clock, maxHold: 10_000 });
  limit.observe({ leaked: () => {} });
  clock.advance(9_999);
  expect(limit.holders).toBe(1);
  clock.advance(1);
  expect(limit.holders).toBe(0);
  expect(limit.stats().leaked).toBe(1);
});

it('over HTTP/2, releases the permit of an unread response when the stream times out', async () => {
  const { limit } = await unread({}, (res) => {
    res.setTimeout(TIMEOUT, () => res.stream.close(http2.constants.NGHTTP2_CANCEL));
  });
  await counts(limit, 0);
  expect(limit.stats().leaked).toBe(0);
});

it('over HTTP/1.1, releases the permit of an unread response when the connection times out', async () => {
  const limit = concurrencyLimit({ limit: 1 });
  const listener: RequestListener = limit((_req, res) => void res.end(large));
  const server = http.createServer(listener);
  server.setTimeout(TIMEOUT);
  const client = connect(await listen(server), '127.0.0.1');
  onTestFinished(() => void client.destroy());
  client.on('error', () => {});
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await counts(limit, 1);
  client.pause();
  await counts(limit, 0);
});
