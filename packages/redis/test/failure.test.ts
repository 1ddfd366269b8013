import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { failure } from '../src/failure.ts';

test.for([
  ['NOAUTH Authentication required.', 'NOAUTH (the client must log in)'],
  ['WRONGPASS invalid username-password pair', 'WRONGPASS (the user or the password is wrong)'],
  ['NOPERM this user has no permissions', 'NOPERM (the user lacks rights)'],
  ["READONLY You can't write against a read only replica.", 'READONLY (it is a replica)'],
  ['ERR wrong number of arguments', 'ERR wrong number of arguments'],
  ['MISCONF Errors writing to the AOF file', 'MISCONF'],
] as const)('the message about a refusal explains a common error: %s', ([message, expected]) => {
  const error = new Error(message);
  expect(failure(error)).toMatchObject({
    code: 'ERR_HEADGATE_STORE_REFUSED',
    message: `Redis refused the call: ${expected}`,
    cause: { name: 'Error', message },
  });
});

test("the cause keeps the error's name and code, but no text that may contain a key or a password", () => {
  const error = new AggregateError([new Error('connect ECONNREFUSED ::1:6379')], '');
  const command = { name: 'auth', args: ['secret'] };
  Object.assign(error, { code: 'ECONNREFUSED', command, lastNodeError: { command } });
  const { cause } = failure(error);
  expect(cause).toMatchObject({ name: 'AggregateError', code: 'ECONNREFUSED' });
  expect(inspect(cause, { depth: 10, showHidden: true })).not.toContain('secret');
});

test('the arguments of a command that the server does not know are omitted', () => {
  const start = "ERR unknown command 'EVALSHA'";
  const error = new Error(`${start}, with args beginning with: '8a1f' '1' 'headgate:{mail:jane}' `);
  expect(failure(error).cause).toMatchObject({ message: start });
});

test('a refusal by one node counts as a refusal by its cluster', () => {
  const lastNodeError = new Error('NOAUTH Authentication required.');
  const error = Object.assign(new Error('Failed to refresh slots cache.'), { lastNodeError });
  expect(failure(error)).toMatchObject({
    code: 'ERR_HEADGATE_STORE_REFUSED',
    message: 'Redis refused the call: NOAUTH (the client must log in)',
    cause: { message: lastNodeError.message },
  });
});
