import { invalid } from '@headgate/core/shared';

/** @throws HeadgateError where a header cannot carry it; the message does not tell it. */
export function checkToken(token: unknown): string | undefined {
  if (token === undefined) return undefined;
  if (typeof token === 'string' && /^[\w.~+/-]+=*$/.test(token)) return token;
  throw invalid('token', 'of letters, digits and -._~+/ only', undefined);
}
