import { checkMethods, checkText } from '../checks.ts';
import { HeadgateError } from '../errors.ts';
import type { Priority } from '../limiter/priority.ts';

/**
 * Stands before the limits of a gate and looks at the server as a whole: `eventLoopGuard()` of `@headgate/core/node`, or
 * your own. One may be shared by several gates.
 */
export interface Guard {
  /** Names it in rejections; clients see it. */
  readonly name: string;
  /** Whether a request of this class may go on to the limits. Asked once for each request. */
  admits(priority: Priority): boolean;
}

/** @throws HeadgateError for what is no guard, or has the name of one of the limits. */
export function checkGuard(guard: Guard, limits: readonly string[]): Guard {
  checkMethods('guard', guard, ['admits']);
  const name = checkText('guard.name', guard.name);
  if (!limits.includes(name)) return guard;
  const message = `a guard and a limit must have different names, got "${name}" twice`;
  throw new HeadgateError('ERR_HEADGATE_DUPLICATE_NAME', message, 'name');
}
