import { checkDuration, checkNames, checkSignal } from '../checks.ts';
import { invalid } from '../errors.ts';
import type { WaitOptions } from './limiter.ts';
import { checkPriority } from './priority.ts';

type Asked = Pick<WaitOptions, 'signal' | 'queueTimeout' | 'priority' | 'party'>;

const common = ['signal', 'queueTimeout', 'priority', 'party'] as const;
const ofLimiter = ['key', 'weight', 'limit', 'share', ...common];
const ofGate = ['keys', 'weights', 'shares', ...common];
const known = new Set(ofLimiter);

/**
 * Checks how a limiter is asked, also where there is room and not all of it matters.
 *
 * @throws HeadgateError for an unknown option, and for a value that makes no sense.
 */
export function checkAsked(owner: string, options: WaitOptions): void {
  if (!isKnown(options)) checkNames(owner, options, ofLimiter);
  checkCommon(options);
}

/** Every caller with options comes here: an array of their names would cost more than all the rest. */
function isKnown(options: WaitOptions): boolean {
  if (typeof options !== 'object' || options === null) return false;
  for (const name in options) if (!known.has(name)) return false;
  return true;
}

/** The same of a gate. */
export function checkAskedOfGate(owner: string, options: Asked): void {
  checkNames(owner, options, ofGate);
  checkCommon(options);
}

function checkCommon({ signal, queueTimeout, priority, party }: Asked): void {
  checkSignal(signal);
  if (queueTimeout !== undefined) checkDuration('queueTimeout', queueTimeout);
  if (priority !== undefined) checkPriority(priority);
  if (party !== undefined && typeof party !== 'string') throw invalid('party', 'a string', party);
}
