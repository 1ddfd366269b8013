import type { Clock } from '../clock.ts';
import { HeadgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import type { Guard } from '../gate/guard.ts';
import type { Take, Takes } from '../gate/takes.ts';
import type { BasePermit, Outcome, Permit } from '../limiter/permit.ts';
import type { Rejection } from '../limiter/rejection.ts';
import { Waiter } from '../limiter/waiter.ts';
import { warnOnce } from '../warning.ts';
import type { Client, Ending } from './client.ts';

/** What a handler learns of its admission: a permit, in degraded mode the rejection, neither where nothing limits it. */
export type Admission =
  | { readonly permit: Permit; readonly waited: number; readonly rejection: undefined }
  | { readonly permit: undefined; readonly waited: number; readonly rejection: Rejection }
  | { readonly permit: undefined; readonly waited: 0; readonly rejection: undefined };

/** The admission of a request that no limit applies to. */
export const unlimited: Admission = { permit: undefined, waited: 0, rejection: undefined };

/** What stands before the app's handlers. */
export interface Door {
  readonly gate: Gate;
  readonly guard: Guard | undefined;
  readonly clock: Clock;
  readonly onDisconnect: 'wait' | 'release';
  /** Milliseconds. */
  readonly abandonAfter: number;
}

const untold = -1;

/** A request at one gate: it waits, holds its permit for the life of the response, or learns why not. */
export class Visit extends Waiter {
  permit: BasePermit | undefined = undefined;
  rejection: Rejection | undefined = undefined;
  /** The client went away while it waited: nobody is to be answered, no handler to be run. */
  left = false;
  /** Pending while the request waits; undefined where it need not. Awaiting it keeps the request's async context. */
  answered: Promise<void> | undefined = undefined;
  /** Handlers at work, here or further in; below 0 where the framework has told of none. */
  private working = untold;
  private over = false;
  private answer: (() => void) | undefined = undefined;

  /** An earlier visit of the same request, at another middleware. */
  readonly outer: Visit | undefined;

  constructor(
    private readonly door: Door,
    readonly client: Client,
    readonly takes: Takes,
  ) {
    super();
    this.outer = client.latest;
  }

  /** Asks the door's gate, or what stands there behind the guard. */
  enter(gate: Gate): void {
    if (this.client.gone) return this.leave();
    gate.request(this, this.takes);
    if (this.permit !== undefined && this.answered === undefined) this.client.attend(this);
  }

  get admission(): Admission {
    const { permit, rejection } = this;
    return { permit, waited: permit?.waited ?? rejection?.waited ?? 0, rejection } as Admission;
  }

  override joins(): boolean {
    for (let { outer } = this; outer !== undefined; outer = outer.outer) {
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

  granted(permit: BasePermit): void {
    this.permit = permit;
    this.answer?.();
  }

  rejected(rejection: Rejection): void {
    this.rejection = rejection;
    this.client.rejected(rejection.reason === 'closed', this.door.clock);
    this.answer?.();
  }

  /** Whether the request holds this share of this limiter already. */
  holds({ limiter, key }: Take): boolean {
    if (this.permit?.released !== false) return false;
    return this.takes.some((take) => take.limiter === limiter && take.key === key);
  }

  /** Whether this guard has let the request in. */
  passed(guard: Guard): boolean {
    return this.door.guard === guard;
  }

  /** The response is over. */
  ended(ending: Ending): void {
    const { permit, client, door } = this;
    if (this.over) return;
    this.over = true;
    if (permit === undefined) return this.withdraw();
    if (ending !== 'complete') {
      permit.abort(disconnected());
      if (door.onDisconnect === 'release') return permit.release('ignored');
    }
    // The framework does not tell whether the handler still works for nobody: wait for a sign of it.
    if (ending === 'unanswered' && this.working === untold) {
      client.whenTouched(() => this.awaitNoHandler(), door.clock, door.abandonAfter);
    } else this.giveBackIfDone();
  }

  /** Holds the permit until this work of a handler has settled, too, and so the permits further out. */
  during<P extends PromiseLike<unknown>>(work: P): P {
    for (let visit: Visit | undefined = this; visit !== undefined; visit = visit.outer)
      visit.working = Math.max(visit.working, 0) + 1;
    // To await it would put off everything that stands around the middleware.
    const settled = () => this.settled();
    work.then(settled, settled);
    return work;
  }

  private settled(): void {
    for (let visit: Visit | undefined = this; visit !== undefined; visit = visit.outer) {
      visit.working--;
      visit.giveBackIfDone();
    }
  }

  private giveBackIfDone(): void {
    const { permit } = this;
    if (this.over && this.working <= 0 && permit?.released === false)
      permit.end(this.outcome(permit));
  }

  /** How the work went, for a limit that adapts. */
  protected outcome(_permit: BasePermit): Outcome {
    return 'ok';
  }

  private withdraw(): void {
    if (this.rejection !== undefined) return;
    this.door.gate.withdraw(this);
    this.leave();
  }

  private leave(): void {
    this.left = true;
    this.answer?.();
    // No handler will run: nothing is left for the earlier middleware's permits to wait for.
    for (let { outer } = this; outer !== undefined; outer = outer.outer) outer.awaitNoHandler();
  }

  private awaitNoHandler(): void {
    if (this.working !== untold) return;
    this.working = 0;
    this.giveBackIfDone();
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
