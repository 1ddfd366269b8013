import { expect, test } from 'vitest';
import { failure } from '../src/failure.ts';

test.for([
  ['57P05', 'terminating connection due to idle-session timeout', 'DOWN'],
  ['57P01', 'terminating connection due to administrator command', 'DOWN'],
  ['EPIPE', 'write EPIPE', 'DOWN'],
  ['ECONNRESET', 'read ECONNRESET', 'DOWN'],
  ['57014', 'canceling statement due to statement timeout', 'TIMEOUT'],
  ['55P03', 'canceling statement due to lock timeout', 'TIMEOUT'],
  [undefined, 'timeout expired', 'TIMEOUT'],
  [undefined, 'Connection terminated unexpectedly', 'DOWN'],
  ['25006', 'cannot execute INSERT in a read-only transaction', 'REFUSED'],
  ['22P02', 'invalid input syntax: "a timeout"', 'REFUSED'],
] as const)('an error with the code %s ("%s") is reported as %s', ([code, message, expected]) => {
  const error = Object.assign(new Error(message), { code });
  expect(failure(error).code).toBe(`ERR_HEADGATE_STORE_${expected}`);
});

test.for([
  ['28P01', 'PostgreSQL refused the call: 28P01 (the role or its password is wrong)'],
  ['3D000', 'PostgreSQL refused the call: 3D000 (the database does not exist)'],
  ['42501', 'PostgreSQL refused the call: 42501 (the role lacks rights: of the user "app")'],
  ['22P02', 'PostgreSQL refused the call: 22P02'],
] as const)('the message about a refusal says what a common code means: %s', ([code, expected]) => {
  const error = Object.assign(new Error('of the user "app"'), { code });
  expect(failure(error)).toMatchObject({ message: expected, cause: error });
});
