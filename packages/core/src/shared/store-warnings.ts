import type { Clock } from '../clock.ts';
import type { OutagePolicy } from '../limiter/source.ts';
import type { StoreError } from '../limiter/store-error.ts';
import { warn } from '../warning.ts';

/** Minimum time between two warnings, in milliseconds, for a store that fails repeatedly. */
const WARNING_INTERVAL = 60_000;

const effects = {
  reject: 'its callers are rejected',
  admit: 'its callers are admitted without the store',
  local: 'each process applies the limit alone',
} as const satisfies Record<OutagePolicy, string>;

/** Warns once when a store fails and once when it is available again, for limits without an observer for that. */
export class StoreWarnings {
  readonly #failing = new Set<string>();
  #hasWarned = false;
  #nextAt = -Infinity;

  constructor(private readonly clock: Clock) {}

  failed(name: string, policy: OutagePolicy, error: StoreError): void {
    const effect = `${effects[policy]} (onStoreError: ${policy})`;
    this.#add(name, `the store of limit "${name}" fails: ${textOf(error)}; ${effect}`);
  }

  /** The store works, but its messages do not arrive. */
  muted(name: string, error: StoreError): void {
    this.#add(name, `the store of limit "${name}" is impaired: ${textOf(error)}`);
  }

  worked(name: string): void {
    if (!this.#failing.delete(name) || this.#failing.size > 0 || !this.#hasWarned) return;
    this.#hasWarned = false;
    warn('HEADGATE_STORE', `the store of limit "${name}" is back`);
  }

  /** The limit is closed. */
  forget(name: string): void {
    this.#failing.delete(name);
  }

  #add(name: string, message: string): void {
    const isFirst = this.#failing.size === 0;
    this.#failing.add(name);
    const now = this.clock.now();
    if (!isFirst || now < this.#nextAt) return;
    this.#nextAt = now + WARNING_INTERVAL;
    this.#hasWarned = true;
    warn('HEADGATE_STORE', message);
  }
}

/** Adds the client's own message if the store cannot be reached: `connect ECONNREFUSED 127.0.0.1:6379`. */
function textOf({ code, message, cause }: StoreError): string {
  if (code !== 'ERR_HEADGATE_STORE_DOWN') return message;
  const { message: own, code: ownCode } = (cause ?? {}) as { message?: string; code?: string };
  const detail = own || ownCode;
  return detail ? `${message} (${detail})` : message;
}
