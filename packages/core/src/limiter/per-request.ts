import { warned, warnOnce } from '../warning.ts';
import type { Handle } from './limiter.ts';

/** Maximum number of creations that are examined, since each stack trace takes time. */
const MAX_EXAMINED = 1000;

/** Number of limits in a row that requests may create for one caller each: an app may create its limits lazily. */
const MAX_UNSHARED = 5;

/** Functions of Node that call the listener of a server, for HTTP/1.1 and HTTP/2. */
const withinRequest = /\b(parserOnIncoming|onServerStream)\b/;

let examined = 0;
let unshared = 0;
let latest: Pick<Handle, 'stats'> | undefined;

/**
 * Reports limits that are created within requests and admit one caller each. One that admits more callers may be meant
 * to limit the parallel work of its request.
 */
export function checkCreation(created: Pick<Handle, 'stats'>): void {
  if (examined >= MAX_EXAMINED || warned.has('HEADGATE_LIMIT_PER_REQUEST')) return;
  examined++;
  if (!withinRequest.test(wholeStack())) return;
  if (latest !== undefined) unshared = latest.stats().admitted > 1 ? 0 : unshared + 1;
  latest = created;
  if (unshared < MAX_UNSHARED) return;
  latest = undefined;
  unshared = 0;
  warnOnce(
    'HEADGATE_LIMIT_PER_REQUEST',
    'requests create limits, with concurrencyLimit() or createLimiter(), that each admit one caller and so limit nothing: create the limit once, and set key or perKey if each tenant needs its own',
  );
}

function wholeStack(): string {
  const settings = Error as { stackTraceLimit?: number | undefined };
  const { stackTraceLimit } = settings;
  try {
    settings.stackTraceLimit = 100;
    const { stack = '' } = new Error();
    settings.stackTraceLimit = stackTraceLimit;
    return stack;
  } catch {
    // An app may have frozen Error.
    return '';
  }
}
