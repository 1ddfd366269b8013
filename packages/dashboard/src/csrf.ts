import { randomBytes, timingSafeEqual } from 'node:crypto';
import { isCrossSite } from './cross-site.ts';
import type { PageRequest } from './page-request.ts';

/** Keeps other sites from operating through the browser of an operator. */
export class CsrfToken {
  /** Only pages of operators receive it; other sites cannot read it. */
  readonly value = randomBytes(24).toString('base64url');

  /** Whether one of these pages has sent the request. */
  admits(request: PageRequest): boolean {
    const given = Buffer.from(request.header('x-headgate-token') ?? '');
    const expected = Buffer.from(this.value);
    const isKnown = given.length === expected.length && timingSafeEqual(given, expected);
    return isKnown && !isCrossSite(request);
  }
}
