import { randomBytes } from 'node:crypto';
import { warnOnce } from '@headgate/core/http';
import { headers } from './headers.ts';
import { type PageRequest, type PageResponse, plain } from './page-request.ts';
import { isSecret } from './secret.ts';

/** The token that viewers need to see a dashboard without `authorize`. The dashboards of a process share it. */
const token = randomBytes(24).toString('base64url');

const refusal = `This dashboard has no authorize, so it requires a token, which process ${process.pid} has printed as a warning:
append it to the address.

To decide who may see the dashboard:

  dashboard({
    limits,
    authorize: (request) => (isOperator(request) ? 'view' : false),
  })

authorize returns 'view', 'operate' or false, or a promise of that.`;

/** Whether the request has the token: in its query, or in the cookie that a response to such a request has set. */
export function hasToken(request: PageRequest): boolean {
  const name = `${cookieName(request)}=`;
  const cookies = (request.header('cookie') ?? '').split(/; */);
  const own = cookies
    .filter((each) => each.startsWith(name))
    .map((each) => each.slice(name.length));
  return [...own, request.query('token') ?? ''].some((given) => isSecret(given, token));
}

/** Answers a request without the token. The first call prints the token. */
export function refuse(): PageResponse {
  warnOnce(
    'HEADGATE_DASHBOARD_TOKEN',
    `a dashboard without authorize requires its token: append ?token=${token} to its address; to decide who may see it, set authorize`,
  );
  return plain(403, refusal, headers);
}

/**
 * The query with the token, for the redirection to the page with a slash at its end. The redirection must come first,
 * since a cookie belongs to the folder of the address that sets it.
 */
export function withToken(request: PageRequest): string {
  return request.query('token') === undefined ? '' : `?token=${token}`;
}

/**
 * Moves the token from the address to a cookie, so that the token is neither visible nor kept in the browser's history.
 */
export function moveToken(request: PageRequest): PageResponse {
  // Without a path, since a proxy may have removed a part of it. Not `Strict`: if the address was opened from another
  // site, such as one that shows logs, the browser would not send the cookie with the redirected request.
  const cookie = `${cookieName(request)}=${token}; HttpOnly; SameSite=Lax`;
  return plain(302, 'Moved', { ...headers, Location: './', 'Set-Cookie': cookie });
}

/**
 * The name contains the port, since browsers send the cookies of a host to all of its ports, where other processes may
 * have dashboards.
 */
function cookieName(request: PageRequest): string {
  const [, port = ''] = /:(\d+)$/.exec(request.header('host') ?? '') ?? [];
  return `headgate-dashboard${port}`;
}
