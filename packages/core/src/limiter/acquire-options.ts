import { checkDuration, checkNames, checkSignal } from '../checks.ts';
import { invalid } from '../errors.ts';
import { checkPriority } from '../semaphore/priority.ts';
import type { WaitOptions } from './limiter.ts';

type CommonOptions = Pick<WaitOptions, 'signal' | 'queueTimeout' | 'priority' | 'fairBy'>;

const common = ['signal', 'queueTimeout', 'priority', 'fairBy'] as const;
const limiterOptions = ['key', 'weight', 'limit', 'share', ...common];
const gateOptions = ['keys', 'weights', 'shares', ...common];
const known = new Set(limiterOptions);

/**
 * Checks the options of a request to a limiter, even if there is room and not all of them take effect.
 *
 * @throws HeadgateError for an unknown option, and for a value that is not allowed.
 */
export function checkAcquireOptions(owner: string, options: WaitOptions): void {
  if (!isKnown(options)) checkNames(owner, options, limiterOptions);
  checkCommon(options);
}

/** Allocates no array of names: on this hot path, it would cost more than everything else. */
function isKnown(options: WaitOptions): boolean {
  if (typeof options !== 'object' || options === null) return false;
  for (const name in options) if (!known.has(name)) return false;
  return true;
}

/** As `checkAcquireOptions`, for the options of a request to a gate. */
export function checkGateAcquireOptions(owner: string, options: CommonOptions): void {
  checkNames(owner, options, gateOptions);
  checkCommon(options);
}

function checkCommon({ signal, queueTimeout, priority, fairBy }: CommonOptions): void {
  checkSignal(signal);
  if (queueTimeout !== undefined) checkDuration('queueTimeout', queueTimeout);
  if (priority !== undefined) checkPriority(priority);
  if (fairBy !== undefined && typeof fairBy !== 'string')
    throw invalid('fairBy', 'a string', fairBy);
}
