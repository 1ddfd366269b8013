import { Thrown } from '@headgate/test-kit/property';
import { VirtualClock } from '@headgate/test-suite';
import { expect } from 'vitest';
import { GateWaiter } from '../../src/gate/gate-queue.ts';
import {
  createGate,
  createLimiter,
  type Gate,
  type LocalLimiter,
  type Permit,
  type Rejection,
} from '../../src/index.ts';
import { askGate } from '../ask-gate.ts';
import { Judge } from './judge.ts';
import { quietVisit, type Visit, Visitor } from './visitor.ts';

export interface GateSettings {
  user: number;
  own: number;
  app: number;
  queueLimit: number;
  appQueueLimit: number;
  queueTimeout: number;
}

/** The parts that a queued request holds, which become parts of its permit once it is admitted. */
interface Inside {
  readonly parts: readonly Permit[];
}

interface Part extends Permit {
  readonly whole: Permit | undefined;
}

/** Two gates that reuse two limiters, each checked by a model, and the requests at them. */
export class GateScene {
  readonly clock = new VirtualClock();
  readonly app: LocalLimiter;
  readonly gates: readonly Gate[];
  readonly judges: readonly Judge[];
  readonly visitors: Visitor[] = [];
  /** Permits acquired directly from the reused limiter. */
  readonly permits: Permit[] = [];
  readonly #breaches: string[] = [];
  readonly #closed = new Set<Gate>();

  constructor(readonly settings: GateSettings) {
    const { clock } = this;
    const { queueLimit, queueTimeout, appQueueLimit } = settings;
    const queue = { clock, queueLimit: Number.POSITIVE_INFINITY };
    const user = createLimiter({ name: 'user', limit: settings.user, perKey: true, ...queue });
    const app = createLimiter({
      name: 'app',
      limit: settings.app,
      ...queue,
      queueLimit: appQueueLimit,
    });
    const own = { name: 'own', limit: settings.own, optional: true };
    const shared = { clock, queueLimit, queueTimeout };
    const all = createGate({ ...shared, limits: [{ limiter: user }, own, { limiter: app }] });
    this.gates = [all, createGate({ ...shared, limits: [{ limiter: user }, { limiter: app }] })];
    this.app = app;
    const passages = {
      orders: new WeakMap(),
      isPassage: (one: object) => one instanceof GateWaiter,
    };
    const limiters = [user, Object.values(all.limiters)[1] as LocalLimiter, app];
    this.judges = limiters.map((limiter) => new Judge(limiter, clock, passages));
  }

  visit(gated: Visit): void {
    const gate = this.gates[gated.gate] as Gate;
    const visitor = new Visitor(this, gated, gate);
    this.visitors.push(visitor);
    try {
      askGate(gate, visitor, visitor.takes);
    } catch (error) {
      if (!(error instanceof Thrown)) throw error;
    }
  }

  waitingAt(gate: Gate): Visitor[] {
    return this.visitors.filter((one) => one.gate === gate && one.state === 'waits');
  }

  withdraw(visitor: Visitor | undefined): void {
    if (visitor === undefined) return;
    if (visitor.state === 'waits') visitor.state = 'done';
    visitor.gate.withdraw(visitor);
  }

  release(visitor: Visitor | undefined): void {
    if (visitor?.state === 'holds') visitor.state = 'done';
    visitor?.permit?.release();
  }

  close(gate: Gate): void {
    this.#closed.add(gate);
    void gate.close();
  }

  granted(visitor: Visitor): void {
    const { state, gate, kind } = visitor;
    this.#check(state === 'asks' || state === 'waits', `granted, though it ${state}`);
    this.#check(state === 'asks' || this.clock.now() < visitor.due, 'granted after its deadline');
    this.#check(!this.#closed.has(gate), 'granted by a closed gate');
    // Requests of the same kind pass the same queues, in order of arrival. One that is moving to its next limit is in no
    // queue: a request from a callback that this move causes may overtake it.
    const isQueued = (one: Visitor) =>
      this.judges.some(({ waiting }) =>
        waiting.some(({ waiter }) => (waiter as unknown as GateWaiter).waiter === one),
      );
    const overtaken = this.waitingAt(gate).filter(
      (one) => one.kind === kind && one !== visitor && isQueued(one),
    );
    const before =
      state === 'asks' ? overtaken : overtaken.filter(({ order }) => order < visitor.order);
    this.#check(before.length === 0, 'granted out of turn');
    visitor.state = 'holds';
  }

  rejected(visitor: Visitor, { reason, limitName: limit, queued }: Rejection): void {
    const { state, gate } = visitor;
    this.#check(state === 'asks' || state === 'waits', `rejected, though it ${state}`);
    if (reason === 'timeout') {
      this.#check(state === 'waits' && this.clock.now() >= visitor.due, 'timed out early');
    } else if (reason === 'closed') this.#check(this.#closed.has(gate), 'closed, but it is open');
    else {
      const queue = limit === 'app' ? this.settings.appQueueLimit : Number.POSITIVE_INFINITY;
      const full = this.waitingAt(gate).length >= this.settings.queueLimit && state === 'asks';
      const isHopeless = this.judges.some(
        ({ hopeless }) => hopeless instanceof GateWaiter && hopeless.waiter === visitor,
      );
      this.#check(full || queued >= queue || isHopeless, 'full, but it is not');
    }
    visitor.state = 'done';
  }

  react(reaction: string, visitor: Visitor): void {
    const { app, clock } = this;
    if (reaction === 'release') this.release(visitor);
    else if (reaction === 'releaseOldest')
      this.release(this.visitors.find((one) => one.state === 'holds'));
    else if (reaction === 'withdrawOldest')
      this.withdraw(this.visitors.find((one) => one.state === 'waits'));
    else if (reaction === 'ask') this.visit({ ...visitor.visit, ...quietVisit });
    else if (reaction === 'raise') app.setLimit(app.limit + 1);
    else if (reaction === 'lower') app.setLimit(Math.max(1, app.limit - 1));
    else if (reaction === 'dawdle') clock.busy(7);
    else if (reaction === 'close') this.close(visitor.gate);
    else if (reaction === 'throw') {
      // The permit of a waiter that throws is released.
      if (visitor.state === 'holds') visitor.state = 'done';
      throw new Thrown();
    }
  }

  /** Checks the invariants after each step. */
  settle(): void {
    for (const judge of this.judges) judge.settle();
    for (const gate of this.gates) {
      const holding = this.visitors.filter((one) => one.gate === gate && one.state === 'holds');
      this.#check(gate.holders === holding.length, `${gate.holders} in flight at ${gate.name}`);
      const waiting = this.waitingAt(gate).length;
      this.#check(gate.queued === waiting, `${gate.queued} queued at ${gate.name}, not ${waiting}`);
    }
    const parts = this.visitors.map((visitor) => this.#settleParts(visitor));
    for (const [index, { live, limiter }] of this.judges.entries()) {
      const direct = limiter === this.app ? this.permits.length : 0;
      const known = parts.reduce((sum, held) => sum + (held[index] ?? 0), direct);
      this.#check(live.size === known, `${live.size} permits of ${limiter.name}, known: ${known}`);
    }
    const due = Math.min(
      ...this.visitors.map((one) => (one.state === 'waits' ? one.due : Infinity)),
    );
    this.#check(
      this.clock.due <= Math.max(due, this.clock.now() + 1),
      'no timer for the next deadline',
    );
    this.#check(this.clock.armed <= this.gates.length, 'more than a timer per gate');
    expect([...this.#breaches, ...this.judges.flatMap(({ breaches }) => breaches)]).toEqual([]);
  }

  /** Releases everything and checks that nothing is left. */
  end(): void {
    for (const permit of this.permits.splice(0)) permit.release();
    for (let round = 0; round < 100 && this.visitors.some(({ busy }) => busy); round++) {
      for (const visitor of [...this.visitors]) this.release(visitor);
      this.clock.advance(50);
    }
    this.settle();
    for (const { limiter } of this.judges) {
      expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0, keys: 0 });
    }
    for (const gate of this.gates) expect(gate.stats()).toMatchObject({ holders: 0, queued: 0 });
    expect(this.clock.armed).toBe(0);
  }

  /**
   * Checks that an admitted request holds every limit that applies, and a queued one only those before the one it
   * waits for.
   */
  #settleParts(visitor: Visitor): number[] {
    const of = ({ waiter }: { waiter: unknown }) =>
      (waiter as GateWaiter | undefined)?.waiter === visitor;
    const at = this.judges.findIndex(({ waiting }) => waiting.some(of));
    const gateWaiter = this.judges[at]?.waiting.find(of)?.waiter as Inside | undefined;
    const isPart = (permit: Permit) =>
      gateWaiter?.parts.includes(permit) ??
      (visitor.permit !== undefined && (permit as Part).whole === visitor.permit);
    const held = this.judges.map(({ live }) => [...live.keys()].filter(isPart).length);
    const wanted = visitor.applies.map((applies, index) => {
      const passed = visitor.state === 'holds' || (visitor.state === 'waits' && index < at);
      return applies && passed ? 1 : 0;
    });
    const breach = `a request in state "${visitor.state}" holds ${held}, not ${wanted}`;
    this.#check(String(held) === String(wanted), breach);
    return held;
  }

  #check(holds: boolean, breach: string): void {
    if (!holds) this.#breaches.push(breach);
  }
}
