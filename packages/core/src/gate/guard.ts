import { checkMethods, checkText } from '../checks.ts';
import { HeadgateError } from '../errors.ts';
import type { Priority } from '../semaphore/priority.ts';

/**
 * Admits or sheds requests before the limits of a gate, by the load of the whole server: `eventLoopGuard()` of
 * `@headgate/core/node`, or your own. Several gates may use the same guard.
 */
export interface Guard {
  /** Identifies the guard in rejections; visible to clients. */
  readonly name: string;
  /** Whether a request of this priority may proceed to the limits. Called once for each request. */
  admits(priority: Priority): boolean;
}

/** @throws HeadgateError for an invalid guard, or a name that one of the limits has. */
export function checkGuard(guard: Guard, limits: readonly string[]): Guard {
  checkMethods('guard', guard, ['admits']);
  const name = checkText('guard.name', guard.name);
  if (!limits.includes(name)) return guard;
  const message = `a guard and a limit must have different names, got "${name}" twice`;
  throw new HeadgateError('ERR_HEADGATE_DUPLICATE_NAME', message, 'name');
}
