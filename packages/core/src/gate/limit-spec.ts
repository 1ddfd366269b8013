import { checkFlag, checkNames } from '../checks.ts';
import { HeadgateError, invalid } from '../errors.ts';
import { BaseLimiter } from '../limiter/base-limiter.ts';
import { type DistributedOptions, distributedOptions } from '../limiter/distributed-options.ts';
import type { Limiter } from '../limiter/limiter.ts';
import {
  type CommonSettings,
  checkLimit,
  defaultQueue,
  type LimitDefaults,
  type LimiterOptions,
  type LimitSettings,
} from '../limiter/options.ts';
import { isControlled } from '../limits/limit.ts';
import { warnOnce } from '../warning.ts';
import type { GateLimitOptions } from './options.ts';

/**
 * The validated spec of a gate's limit: a reused limiter, or the settings of a limiter that the gate still has to make.
 */
export type LimitSpec =
  | { readonly limiter: Limiter; readonly optional: boolean; readonly owned: false }
  | OwnSpec;

export interface OwnSpec {
  readonly limiter: LimitSettings;
  readonly optional: boolean;
  readonly owned: true;
}

const ownOptions = ['name', 'limit', 'perKey', 'queueLimit', 'queueWeight', 'order', 'optional'];

/** Validates an entry of `limits`. */
export function limitSpecOf(
  options: GateLimitOptions,
  index: number,
  gate: CommonSettings,
): LimitSpec {
  const entry = `limits[${index}]`;
  const known = [...ownOptions, ...distributedOptions, 'limiter'];
  return inEntry(entry, known, () => {
    checkNames(entry, options, known);
    const optional = checkFlag('optional', options.optional);
    if (options.limiter === undefined) return ownSpec(options, optional, gate);
    checkNames(`${entry} with a limiter`, options, ['limiter', 'optional']);
    return reusedSpec(options.limiter, optional);
  });
}

/** The spec of a limit that the gate makes. The limiter is made later, since it depends on the kind of gate. */
export function ownSpec(
  options: LimiterOptions & DistributedOptions,
  optional: boolean,
  gate: LimitDefaults,
): OwnSpec {
  const { queueLimit = Infinity, store } = options;
  // A request queued in this process is bounded by the gate's queue limit. One queued in a store counts over all
  // processes.
  const bound =
    store === undefined
      ? queueLimit
      : Math.min(queueLimit, gate.queueLimit ?? defaultQueue.queueLimit);
  const limiter = checkLimit({ ...options, queueLimit: bound }, gate);
  return { limiter, optional, owned: true };
}

export function isLimiter(value: unknown): value is Limiter {
  const { request, perKey } = (value ?? {}) as Partial<Limiter>;
  // A gate has `request` too.
  return typeof request === 'function' && perKey !== undefined;
}

export function reusedSpec(limiter: Limiter, optional: boolean): LimitSpec {
  if (!isLimiter(limiter)) {
    const hint = 'limiters' in Object(limiter) ? ', such as one of its limiters' : '';
    throw invalid('limiter', `a limiter${hint}`, limiter);
  }
  if (!(limiter instanceof BaseLimiter)) {
    const message = `limiter "${limiter.name}" belongs to another copy of @headgate/core, so its waiters may not be served in the order of their arrival: \`npm ls @headgate/core\` shows the copies`;
    warnOnce('HEADGATE_TWO_COPIES', message);
  }
  if (!limiter.closed) return { limiter, optional, owned: false };
  const message = `limiter "${limiter.name}" is closed and would reject every request`;
  throw new HeadgateError('ERR_HEADGATE_OPTION', message, 'limiter');
}

/** Runs `check`, and prefixes an error about one of these options with its entry of `limits`. */
export function inEntry<T>(entry: string, own: readonly string[], check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof HeadgateError)) throw error;
    const { code, message, option = '' } = error;
    const [name = ''] = option.split('.');
    // An error about an unknown option already names the entry.
    if (code === 'ERR_HEADGATE_UNKNOWN_OPTION' || !own.includes(name)) throw error;
    const text = message.startsWith(name) ? `${entry}.${message}` : `${entry}: ${message}`;
    throw new HeadgateError(code, text, `${entry}.${option}`);
  }
}

/** The default queue limit and timeout of a gate. If its only limit is a reused limiter, those of the limiter apply. */
export function queueOf([only, ...others]: readonly LimitSpec[]) {
  if (only === undefined || others.length > 0) return defaultQueue;
  if (only.owned)
    return isControlled(only.limiter.limit)
      ? { ...defaultQueue, queueLimit: Infinity }
      : defaultQueue;
  return { queueLimit: Infinity, queueTimeout: only.limiter.queueTimeout };
}

/** Whether a store counts the limit. */
export function isDistributed(spec: LimitSpec): boolean {
  return spec.owned ? spec.limiter.distribution !== undefined : spec.limiter.isDistributed;
}

/** Whether the gate decides the order of the limit's queue. */
export function isOrderedByGate(spec: LimitSpec): boolean {
  return spec.owned && !isDistributed(spec);
}
