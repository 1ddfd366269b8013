import type { Clock, StoreError } from '@headgate/core';
import { type OutagePolicy, warn } from '@headgate/core/engine';

/** Milliseconds in which the same warning is not repeated. */
const WARNING_INTERVAL = 60_000;

/** Maximum number of different refusals that one limit reports in that time: a message may contain a request's id. */
const MAX_REFUSALS = 10;

const effects = {
  reject: 'its callers are rejected',
  admit: 'its callers are admitted without the store',
  local: 'each process applies the limit alone',
} as const satisfies Record<OutagePolicy, string>;

/** Which calls for one limit a store has refused. */
class Refusals {
  /** Whether a warning was emitted since the store last accepted a call. */
  hasWarned = false;
  /** The latest call was refused. */
  isRefused = true;
  /** For each message: the time until which it is not repeated. In the order in which the messages were reported. */
  readonly quietUntil = new Map<string, number>();
}

/**
 * Warns the operator of store failures, for limits without an observer that receives them. An outage affects every
 * limit of the store and causes one warning. A refusal concerns one limit, so the warning names it.
 */
export class StoreWarnings {
  /** Limits affected by an outage, or by messages that do not arrive. */
  readonly #affected = new Set<string>();
  /** One limit that is no longer affected. The warning that the store has recovered names it. */
  #recovered: string | undefined;
  #hasWarned = false;
  #nextAt = -Infinity;
  readonly #refusals = new Map<string, Refusals>();

  constructor(private readonly clock: Clock) {}

  failed(name: string, policy: OutagePolicy, error: StoreError): void {
    const effect = `${effects[policy]} (onStoreError: ${policy})`;
    const message = `the store of limit "${name}" fails: ${textOf(error)}; ${effect}`;
    if (error.code === 'ERR_HEADGATE_STORE_REFUSED') this.#refused(name, message);
    else this.#add(name, message);
  }

  /** Called when the store works but its messages do not arrive. */
  messagesMissing(name: string, error: StoreError): void {
    this.#add(name, `the store of limit "${name}" is impaired: ${textOf(error)}`);
  }

  /** The store can be reached again, or its messages arrive. Calls for this limit may still be refused. */
  returned(name: string): void {
    if (!this.#affected.delete(name)) return;
    if (this.#refusals.get(name)?.isRefused !== true) this.#recovered = name;
    if (this.#affected.size > 0 || !this.#hasWarned || this.#recovered === undefined) return;
    this.#hasWarned = false;
    warnRecovered(this.#recovered);
  }

  /** Called when a call for this limit has succeeded. */
  succeeded(name: string): void {
    const refusals = this.#refusals.get(name);
    if (refusals === undefined) return;
    refusals.isRefused = false;
    if (refusals.hasWarned) warnRecovered(name);
    refusals.hasWarned = false;
  }

  /** Called when the limit is closed. */
  forget(name: string): void {
    this.#affected.delete(name);
    this.#refusals.delete(name);
  }

  #add(name: string, message: string): void {
    const isFirst = this.#affected.size === 0;
    this.#affected.add(name);
    const now = this.clock.now();
    if (!isFirst || now < this.#nextAt) return;
    this.#nextAt = now + WARNING_INTERVAL;
    this.#hasWarned = true;
    this.#recovered = undefined;
    warn('HEADGATE_STORE', message);
  }

  #refused(name: string, message: string): void {
    const refusals = this.#refusals.get(name) ?? new Refusals();
    this.#refusals.set(name, refusals);
    refusals.isRefused = true;
    const { quietUntil } = refusals;
    const now = this.clock.now();
    for (const [earlier, until] of quietUntil) if (until <= now) quietUntil.delete(earlier);
    if (quietUntil.has(message) || quietUntil.size === MAX_REFUSALS) return;
    quietUntil.set(message, now + WARNING_INTERVAL);
    refusals.hasWarned = true;
    warn('HEADGATE_STORE', message);
  }
}

function warnRecovered(name: string): void {
  warn('HEADGATE_STORE', `the store of limit "${name}" is back`);
}

/** Adds the client's own message if the store cannot be reached: `connect ECONNREFUSED 127.0.0.1:6379`. */
function textOf({ code, message, cause }: StoreError): string {
  if (code !== 'ERR_HEADGATE_STORE_DOWN') return message;
  const { message: own, code: ownCode } = (cause ?? {}) as { message?: string; code?: string };
  const detail = own || ownCode;
  return detail && !message.includes(detail) ? `${message} (${detail})` : message;
}
