import { expect, it } from 'vitest';
import { callsOf, optionsOf } from '../../src/try/options.ts';

const of = (args: string[], env = {}) =>
  optionsOf(['http://localhost:3000/a?b=1', ...args, '--', 'npm', 'start', '--', '-x'], env);

it('what follows the first -- is the command', () => {
  expect(of([]).command).toEqual(['npm', 'start', '--', '-x']);
});

it('--limit and --route are added to what HEADGATE says, which passes through without them', () => {
  const env = { HEADGATE: '{"queueLimit":3}' };
  expect(of([], env).configuration).toBeUndefined();
  const { configuration = '' } = of(['--limit', '5', '--route', 'GET /a'], env);
  expect(JSON.parse(configuration)).toEqual({ queueLimit: 3, limit: 5, route: 'GET /a' });
  expect(() => of(['--limit', '5'], { HEADGATE: 'limits.json' })).toThrow(/names a file/);
  expect(() => of(['--limit', '5'], { HEADGATE: '{' })).toThrow(/HEADGATE is no JSON/);
});

it('several URLs of one server have weights, by default the same', () => {
  expect(of(['http://localhost:3000/c']).weights).toEqual([1, 1]);
  const given = of(['http://localhost:3000/c', '--weights', '3,0.5']);
  expect(given.weights).toEqual([3, 0.5]);
  expect(callsOf(given).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /a?b=1',
    'GET /c',
  ]);
});

it('only a certificate of this machine may be self-signed', () => {
  const rejects = (url: string, ...args: string[]) =>
    callsOf(optionsOf([url, ...args, '--running']))[0]?.rejectUnauthorized;
  expect(rejects('https://localhost/')).toBe(false);
  expect(rejects('https://[::1]/')).toBe(false);
  expect(rejects('https://example.com/', '--i-may-load', 'example.com')).toBe(true);
});
