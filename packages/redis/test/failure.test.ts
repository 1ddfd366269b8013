import { expect, test } from 'vitest';
import { failure } from '../src/failure.ts';

test.for([
  ['NOAUTH Authentication required.', 'NOAUTH (the client must log in)'],
  ['WRONGPASS invalid username-password pair', 'WRONGPASS (the user or the password is wrong)'],
  ['NOPERM this user has no permissions', 'NOPERM (the user lacks rights)'],
  ["READONLY You can't write against a read only replica.", 'READONLY (it is a replica)'],
  ['ERR wrong number of arguments', 'ERR'],
] as const)(
  'the message about a refusal says what a common error means: %s',
  ([message, expected]) => {
    const error = new Error(message);
    expect(failure(error)).toMatchObject({
      code: 'ERR_HEADGATE_STORE_REFUSED',
      message: `Redis refused the call: ${expected}`,
      cause: error,
    });
  },
);
