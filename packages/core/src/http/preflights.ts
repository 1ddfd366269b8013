import type { Framework } from './framework.ts';

/** Maximum number of preflights that bypass the limits at a time. Bounded, since any client can send fake preflights. */
export const MAX_PREFLIGHTS = 4;

/** Whether the request looks like a CORS preflight. */
export function isPreflight<R>(framework: Framework<R>, request: R): boolean {
  return (
    framework.method(request) === 'OPTIONS' &&
    framework.header(request, 'origin') !== undefined &&
    framework.header(request, 'access-control-request-method') !== undefined
  );
}
