import { HeadgateError } from '../errors.ts';
import type { Takes } from '../gate/takes.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { BasePermit, Permit } from '../limiter/permit.ts';
import type { Rejection } from '../limiter/rejection.ts';
import { Waiter } from '../limiter/waiter.ts';
import { warnOnce } from '../warning.ts';
import type { Client, Ending } from './client.ts';
import type { HttpGate } from './http-gate.ts';

/** What a handler learns of its admission: a permit, in degraded mode the rejection, neither where nothing limits it. */
export type Admission =
  | { readonly permit: Permit; readonly waited: number; readonly rejection: undefined }
  | { readonly permit: undefined; readonly waited: number; readonly rejection: Rejection }
  | { readonly permit: undefined; readonly waited: 0; readonly rejection: undefined };

/** The admission of a request that no limit applies to. */
export const unlimited: Admission = { permit: undefined, waited: 0, rejection: undefined };

/** A request at one gate: it waits, holds its permit for the life of the response, or learns why not. */
export class Visit extends Waiter {
  permit: BasePermit | undefined = undefined;
  rejection: Rejection | undefined = undefined;
  /** The client went away while it waited: nobody is to be answered, no handler to be run. */
  left = false;
  /** Pending while the request waits; undefined where it need not. Awaiting it keeps the request's async context. */
  answered: Promise<void> | undefined = undefined;
  /** An earlier visit of the same request, at another middleware. */
  outer: Visit | undefined = undefined;
  /** Whether the framework tells when the handler is done. */
  private handling: 'unknown' | 'running' | 'settled' = 'unknown';
  private over = false;
  private answer: (() => void) | undefined = undefined;

  constructor(
    readonly http: HttpGate<never>,
    readonly client: Client,
    readonly takes: Takes,
  ) {
    super();
  }

  /** Asks the gate. */
  begin(): void {
    this.left = this.client.gone;
    if (this.left) return;
    this.http.gate.request(this, this.takes);
    if (this.permit !== undefined && this.answered === undefined) this.client.attend(this);
  }

  get admission(): Admission {
    const { permit, rejection } = this;
    return { permit, waited: permit?.waited ?? rejection?.waited ?? 0, rejection } as Admission;
  }

  override joins(): boolean {
    for (let outer = this.client.visits; outer !== undefined; outer = outer.outer) {
      if (outer.permit?.released === false) warnOfNesting();
    }
    this.answered = new Promise((resolve) => {
      this.answer = resolve;
    });
    this.client.attend(this);
    return true;
  }

  override gone(): boolean {
    if (!this.client.gone) return false;
    this.leave();
    return true;
  }

  granted(permit: Permit): void {
    this.permit = permit as BasePermit;
    this.answer?.();
  }

  rejected(rejection: Rejection): void {
    this.rejection = rejection;
    this.client.refused(rejection.reason === 'closed');
    this.answer?.();
  }

  /** Whether the request holds this share of this limiter already. */
  holds(limiter: Limiter, key: string | undefined): boolean {
    if (this.permit?.released !== false) return false;
    const { limits } = this.http.gate;
    return this.takes.some(
      (take, i) => limits[i]?.limiter === limiter && take?.key === key && take !== undefined,
    );
  }

  /** Holds the permit until the handler's work has settled, too. */
  async during<T>(work: PromiseLike<T>): Promise<T> {
    this.handling = 'running';
    try {
      return await work;
    } finally {
      this.settled();
    }
  }

  /** The response is over. */
  ended(ending: Ending): void {
    const { permit, client, http } = this;
    if (this.over) return;
    this.over = true;
    if (permit === undefined) return this.withdraw();
    if (ending !== 'finished') {
      permit.abort(disconnected());
      if (http.onDisconnect === 'release') return permit.release('ignored');
    }
    // The framework does not tell whether the handler still works for nobody: wait for a sign of it.
    if (ending === 'unanswered' && this.handling === 'unknown') {
      this.handling = 'running';
      client.whenTouched(() => this.settled(), http.clock, http.abandonAfter);
    }
    this.end();
  }

  private settled(): void {
    this.handling = 'settled';
    this.end();
  }

  private end(): void {
    if (this.over && this.handling !== 'running') this.permit?.end();
  }

  private withdraw(): void {
    if (this.rejection !== undefined) return;
    this.http.gate.withdraw(this);
    this.leave();
  }

  private leave(): void {
    this.left = true;
    this.answer?.();
    // No handler will run: nothing is left for the earlier middleware's permits to wait for.
    for (let { outer } = this; outer !== undefined; outer = outer.outer) {
      if (outer.handling === 'unknown') outer.settled();
    }
  }
}

function warnOfNesting(): void {
  warnOnce(
    'HEADGATE_NESTED_WAIT',
    'a request waits at one limit while it holds a permit of another middleware; put the limits into one',
  );
}

function disconnected(): HeadgateError {
  return new HeadgateError('ERR_HEADGATE_DISCONNECTED', 'the client has disconnected');
}
