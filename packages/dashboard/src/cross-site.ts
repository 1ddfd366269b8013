import type { PageRequest } from './page-request.ts';

/**
 * Whether a page of another origin has caused the request. Browsers show this by header fields; a request without them
 * comes from another program.
 */
export function isCrossSite(request: PageRequest): boolean {
  const site = request.header('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = request.header('origin');
  if (origin === undefined) return false;
  // Without HTTPS, browsers send only the origin.
  return !URL.canParse(origin) || new URL(origin).host !== request.header('host');
}
