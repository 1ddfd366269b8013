import type { Outcome } from '@headgate/core';

/** Statuses with which a server says that it is overloaded; 529 is Anthropic's. */
const OVERLOADED = new Set([429, 502, 503, 504, 529]);

/** The codes and messages of the runtimes for connections that were refused, reset or timed out. */
const LOST =
  /ECONN|EPIPE|TIME_?D?OUT|UNREACH|EAI_AGAIN|UND_ERR_SOCKET|connection ?(was )?(refused|reset|closed|lost)|timed out/i;

/** A 500 is `ignored`: it is a bug of the server, and its duration says nothing about the load. */
export function outcomeOfStatus(status: number): Outcome {
  if (OVERLOADED.has(status)) return 'dropped';
  return status < 500 ? 'ok' : 'ignored';
}

/** An error that is no failure of the connection, such as a TypeError for an invalid header, is `ignored`. */
export function outcomeOfError(error: unknown, signal: AbortSignal | undefined): Outcome {
  // The caller's own abort says nothing about the server, unless its signal is that of `AbortSignal.timeout()`.
  if (signal?.aborted) return isTimeout(signal.reason) ? 'dropped' : 'ignored';
  return isLost(error) ? 'dropped' : 'ignored';
}

function isTimeout(reason: unknown): boolean {
  return (reason as Partial<Error> | undefined)?.name === 'TimeoutError';
}

/** Runtimes wrap the error of the socket, some more than once. */
function isLost(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 5) return false;
  const { code, message, cause } = error as { code?: unknown; message?: unknown; cause?: unknown };
  return isTimeout(error) || LOST.test(`${code} ${message}`) || isLost(cause, depth + 1);
}
