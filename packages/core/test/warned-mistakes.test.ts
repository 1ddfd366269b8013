import { collectWarnings } from '@headgate/test-suite/kit';
import { expect, it } from 'vitest';
import type { Framework } from '../src/http/framework.ts';
import { HttpGate } from '../src/http/http-gate.ts';
import { LimitCheck } from '../src/http/mistakes.ts';

interface Request {
  readonly address?: string;
  readonly path?: string;
}

const framework = {
  method: () => 'GET',
  path: ({ path }: Request) => path,
  header: () => '203.0.113.7',
  address: ({ address }: Request) => address,
} as unknown as Framework<Request>;

it.each([
  ['127.0.0.1', '127.0.0.1', true],
  ['ip:127.0.0.1', '::ffff:127.0.0.1', true],
  ['10.0.0.12 or 10.0.0.1', '10.0.0.1', true],
  ['10.0.0.12', '10.0.0.1', false],
  ['110.0.0.1', '10.0.0.1', false],
  ['::1', '::1', true],
  ['ip:::1', '::1', true],
  ['2001:db8::1', '::1', false],
  ['2001:db8::1a', '::1', false],
  ['fd00:0:0:0::/56', 'fd00::5', true],
  ['tenant', '', false],
])('a key of %j with a proxy at %j is reported: %j', (key, address, isReported) => {
  const warnings = collectWarnings('HEADGATE_UNTRUSTED_PROXY');
  new LimitCheck(framework, 'app').keyed({ address }, key);
  expect(warnings).toHaveLength(isReported ? 1 : 0);
});

it('a key that is always undefined is reported after any number of requests of other routes', () => {
  const warnings = collectWarnings('HEADGATE_KEY_UNDEFINED');
  const check = new LimitCheck(framework, 'users');
  const pass = (examine: () => void) => {
    for (let count = 0; count < 1000; count++) examine();
  };
  pass(() => check.unmatched({ path: '/' }, '/users', () => false));
  pass(() => check.keyed({}, undefined));
  expect(warnings).toEqual([expect.stringMatching(/"users".*1000 requests/)]);
});

it('only a few prefixes of a long path are examined', () => {
  let tests = 0;
  const test = () => ++tests < 0;
  new LimitCheck(framework, 'app').unmatched({ path: '/a'.repeat(8000) }, '/users', test);
  expect(tests).toBeLessThan(10);
});

it('an app that has frozen Error can create a limit', () => {
  const descriptor = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit');
  Object.defineProperty(Error, 'stackTraceLimit', { writable: false });
  try {
    expect(new HttpGate({ limit: 1 }, framework as never).gate.holders).toBe(0);
  } finally {
    Object.defineProperty(Error, 'stackTraceLimit', descriptor as PropertyDescriptor);
  }
});
