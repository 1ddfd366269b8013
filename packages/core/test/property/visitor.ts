import { type Clock, type Gate, type Permit, type Rejection, Waiter } from '../../src/index.ts';
import type { Amounts } from '../ask-gate.ts';

export interface Visit {
  /** The index of the gate. */
  gate: 0 | 1;
  /** Undefined: the limit per user does not apply. */
  user: string | undefined;
  /** Weight; 0: the first gate's own limit does not apply. */
  own: number;
  app: number;
  queueTimeout: number | undefined;
  gone: boolean;
  whenGranted: string[];
  whenRejected: string[];
}

export const quietVisit = { gone: false, whenGranted: [], whenRejected: [] };

/** What a visitor knows of its scene. */
interface Scene {
  readonly clock: Clock;
  readonly app: { readonly limit: number };
  readonly settings: { readonly queueTimeout: number };
  granted(visitor: Visitor): void;
  rejected(visitor: Visitor, rejection: Rejection): void;
  react(reaction: string, visitor: Visitor): void;
}

let orders = 0;

/** A waiter of a gate that tracks its state and may react within an answer. */
export class Visitor extends Waiter {
  state: 'asks' | 'waits' | 'holds' | 'done' = 'asks';
  due = Number.POSITIVE_INFINITY;
  order = 0;
  permit: Permit | undefined;
  readonly takes: Amounts;

  constructor(
    private readonly scene: Scene,
    readonly visit: Visit,
    readonly gate: Gate,
  ) {
    super();
    this.queueTimeout = visit.queueTimeout;
    const { user, own } = visit;
    const first = user === undefined ? undefined : { key: user, weight: 1 };
    const middle = own === 0 ? undefined : { weight: own };
    const last = { weight: Math.min(visit.app, scene.app.limit) };
    this.takes = visit.gate === 0 ? [first, middle, last] : [first, last];
  }

  /** Which of the three limits apply to it. */
  get applies(): boolean[] {
    const { gate, user, own } = this.visit;
    return [user !== undefined, gate === 0 && own > 0, true];
  }

  get kind(): string {
    return JSON.stringify(this.takes);
  }

  get busy(): boolean {
    return this.state === 'waits' || this.state === 'holds';
  }

  granted(permit: Permit): void {
    this.permit = permit;
    this.scene.granted(this);
    for (const reaction of this.visit.whenGranted) this.scene.react(reaction, this);
  }

  rejected(rejection: Rejection): void {
    this.scene.rejected(this, rejection);
    for (const reaction of this.visit.whenRejected) this.scene.react(reaction, this);
  }

  override mayJoin(): boolean {
    const { queueTimeout = this.scene.settings.queueTimeout } = this;
    this.state = 'waits';
    this.order = ++orders;
    this.due = Math.ceil(this.scene.clock.now() + queueTimeout);
    return true;
  }

  override gone(): boolean {
    if (this.visit.gone) this.state = 'done';
    return this.visit.gone;
  }
}
