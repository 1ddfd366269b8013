import { checkDuration, checkNames } from '../checks.ts';
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
  // On the way of every caller that brings options: `checkNames` makes an array of them.
  let isKnown = typeof options === 'object' && options !== null;
  if (isKnown) for (const name in options) isKnown &&= known.has(name);
  if (!isKnown) checkNames(owner, options, ofLimiter);
  checkCommon(options);
}

/** The same of a gate. */
export function checkAskedOfGate(owner: string, options: Asked): void {
  checkNames(owner, options, ofGate);
  checkCommon(options);
}

function checkCommon({ queueTimeout, priority, party }: Asked): void {
  if (queueTimeout !== undefined) checkDuration('queueTimeout', queueTimeout);
  if (priority !== undefined) checkPriority(priority);
  if (party !== undefined && typeof party !== 'string') throw invalid('party', 'a string', party);
}
