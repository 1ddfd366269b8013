import { randomBytes } from 'node:crypto';
import { isCrossSite } from './cross-site.ts';
import type { PageRequest } from './page-request.ts';
import { isSecret } from './secret.ts';

/** Prevents other sites from changing limits through the browser of an operator. */
export class CsrfToken {
  /** Sent only to the pages of operators, where other sites cannot read it. */
  readonly value = randomBytes(24).toString('base64url');

  /** Whether the request comes from such a page. */
  admits(request: PageRequest): boolean {
    return isSecret(request.header('x-headgate-token') ?? '', this.value) && !isCrossSite(request);
  }
}
