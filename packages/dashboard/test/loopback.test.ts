import { expect, it } from 'vitest';
import { isLoopback } from '../src/loopback.ts';

function from(host: string, address = '127.0.0.1', more: Record<string, string> = {}): boolean {
  const headers: Record<string, string> = { host, connection: 'keep-alive', ...more };
  return isLoopback({
    method: 'GET',
    file: '',
    withoutSlash: undefined,
    query: () => undefined,
    header: (name) => headers[name],
    address,
    httpVersion: '1.1',
    body: async () => undefined,
  });
}

it.each(['localhost', 'LOCALHOST:3000', 'my-app.localhost', '127.0.0.1:3000', '[::1]:3000'])(
  'the host %s is a loopback name',
  (host) => expect(from(host)).toBe(true),
);

it.each([
  '',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'evil.example/.localhost',
  'evil@x.localhost',
])('the host "%s" is not', (host) => expect(from(host)).toBe(false));

it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])(
  'the address %s is of this machine',
  (address) => expect(from('localhost', address)).toBe(true),
);

it.each(['10.0.0.1', '::ffff:10.0.0.1', '0.0.0.0', ''])('the address "%s" is not', (address) =>
  expect(from('localhost', address)).toBe(false),
);

it.each(['close', 'upgrade', 'keep-alive, upgrade', ''])(
  'a request with "Connection: %s" may come from a proxy',
  (connection) => {
    expect(from('localhost', '127.0.0.1', { connection: 'Keep-Alive' })).toBe(true);
    expect(from('localhost', '127.0.0.1', { connection })).toBe(false);
  },
);
