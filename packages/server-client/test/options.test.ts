import { type Lock, lockClient, serverStore } from '@headgate/server-client';
import { describe, expect, test } from 'vitest';

const url = 'http://localhost:8000';
const option = (name: string) =>
  expect.objectContaining({ name: 'HeadgateError', code: 'ERR_HEADGATE_OPTION', option: name });

describe.each([
  ['lockClient', lockClient],
  ['serverStore', serverStore],
] as const)('%s', (_, make: (options: never) => unknown) => {
  const made = (options: object) => () => make(options as never);

  test.each([
    undefined,
    '',
    'nowhere',
    'localhost:8000',
    'ftp://localhost',
    'unix:relative',
    'unix:',
    'http://user:secret@localhost',
    8000,
  ])('refuses the url %s', (wrong) => {
    expect(made({ url: wrong })).toThrow(option('url'));
  });

  test.each(['http://user:secret@localhost', 'http://user:secret@', 'redis://:secret@localhost'])(
    'an error about %s does not contain its password, and says so',
    (wrong) => {
      const secret = made({ url: wrong });
      expect(secret).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('secret') }),
      );
      expect(secret).toThrow('got a value that is not shown');
    },
  );

  test.each(['', 'two words', 'line\nbreak', 'ü', 5, null])('refuses the token %j', (token) => {
    expect(made({ url, token })).toThrow(option('token'));
  });

  test('an error about the token does not contain it', () => {
    const shown = expect.objectContaining({ message: expect.not.stringContaining('secret') });
    expect(made({ url, token: 'secret token' })).toThrow(shown);
    expect(made({ url, token: 'a b' })).toThrow('got a value that is not shown');
  });

  test.each([0, 99, -1, Number.NaN, Infinity, '1s', null])('refuses the lease %j', (lease) => {
    expect(made({ url, leaseDuration: lease })).toThrow(option('leaseDuration'));
  });

  test.each([{ url, leas: 5 }, undefined, null, 'url'])('refuses the options %j', (options) => {
    expect(made(options as object)).toThrow(expect.objectContaining({ name: 'HeadgateError' }));
  });

  test.each([url, 'https://locks.internal/prefix/', 'http://[::1]:8000', 'unix:/run/locks.sock'])(
    'a client accepts the url %s',
    (right) => {
      expect(made({ url: right, token: 'aZ0-._~+/==', leaseDuration: 100 })).not.toThrow();
    },
  );
});

test('the call timeout of a store is at most a third of its lease', () => {
  const made = () => serverStore({ url, leaseDuration: 900, timeout: 301 });
  expect(made).toThrow(option('leaseDuration'));
  expect(serverStore({ url, leaseDuration: 900 })).toMatchObject({
    leaseDuration: 900,
    timeout: 300,
  });
  expect(serverStore({ url })).toMatchObject({ leaseDuration: 10_000, timeout: 1_000 });
});

test('a store hands off and reserves as its options say', () => {
  expect(serverStore({ url, handoff: 8, reserve: 2 })).toMatchObject({ handoff: 8, reserve: 2 });
  expect(() => serverStore({ url, handoff: 101 })).toThrow(option('handoff'));
});

test.each([
  ['', {}, 'semaphore'],
  ['\ud800', {}, 'semaphore'],
  [5, {}, 'semaphore'],
  ['A', { count: 0 }, 'count'],
  ['A', { count: 1.5 }, 'count'],
  ['A', { count: '1' }, 'count'],
  ['A', { timeout: -1 }, 'timeout'],
  ['A', { timeout: Number.NaN }, 'timeout'],
  ['A', { signal: {} }, 'signal'],
  ['A', { cont: 1 }, 'cont'],
])('lock(%j, %j) is refused without a request', async (semaphore, options, wrong) => {
  const lock: (...args: unknown[]) => Promise<Lock> = lockClient({ url }).lock as never;
  const client = lockClient({ url });
  await expect(lock.call(client, semaphore, options)).rejects.toMatchObject({
    name: 'HeadgateError',
    option: wrong,
  });
});
