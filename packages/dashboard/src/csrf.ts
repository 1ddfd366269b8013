import { randomBytes } from 'node:crypto';
import { isCrossSite } from './cross-site.ts';
import type { PageRequest } from './page-request.ts';
import { isSecret } from './secret.ts';

/** Keeps other sites from operating through the browser of an operator. */
export class CsrfToken {
  /** Only pages of operators receive it; other sites cannot read it. */
  readonly value = randomBytes(24).toString('base64url');

  /** Whether one of these pages has sent the request. */
  admits(request: PageRequest): boolean {
    return isSecret(request.header('x-headgate-token') ?? '', this.value) && !isCrossSite(request);
  }
}
