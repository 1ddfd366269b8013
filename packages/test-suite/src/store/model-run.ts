import type { LeaseVerb, Op, OperatedChange, Reply } from '@headgate/store-kit';
import { expect } from 'vitest';
import { type LeaseProbe, LimitView, type Wishes } from './lease-probe.ts';
import { type Expected, LimitModel } from './limit-model.ts';
import type { StoreProcess } from './store-process.ts';
import type { StoreWorld } from './store-world.ts';

/** One operation of a process. `at` chooses one of its leases. */
export type Ask =
  | { readonly verb: 'acquire' | 'register'; readonly key: number; readonly wishes: Wishes }
  | {
      readonly verb: Exclude<LeaseVerb, 'acquire' | 'register'>;
      readonly at: number;
      readonly weight: number;
    }
  | { readonly verb: 'again'; readonly at: number }
  | Change;

type Change =
  | { readonly verb: 'declare' | 'setLimit'; readonly key: number; readonly limit: number }
  | { readonly verb: 'pauseFor'; readonly key: number; readonly pause: number }
  | { readonly verb: 'operate'; readonly key: number; readonly change: OperatedChange };

export type Step =
  | { readonly process: number; readonly asks: readonly Ask[] }
  | { readonly elapse: number }
  | 'wipe';

interface Asked {
  readonly op: Op;
  readonly key: number;
  readonly hear: (reply: Reply) => void;
}

/** Runs the same operations on the limits of a store and on the model, and compares the replies. */
export class ModelRun {
  readonly #models: readonly [LimitModel, LimitModel];
  /** By process and then by limit. */
  readonly #views: readonly (readonly LimitView[])[];
  readonly #probes: {
    readonly probe: LeaseProbe;
    readonly key: number;
    readonly process: number;
  }[] = [];
  /** How often the store had asked each process to check when the run began. */
  readonly #checks: ReadonlyMap<StoreProcess, number>;
  #now = 0;

  constructor(
    private readonly world: StoreWorld,
    private readonly processes: readonly StoreProcess[],
    limits: readonly number[],
  ) {
    this.#models = [new LimitModel(), new LimitModel()];
    this.#checks = new Map(processes.map((process) => [process, process.checks]));
    const names = [world.name(), world.name()];
    this.#views = processes.map((process, at) =>
      names.map((name, key) => {
        return new LimitView(process, name, key ? name : undefined, limits[at] ?? 1);
      }),
    );
  }

  async step(step: Step): Promise<void> {
    if (step === 'wipe') {
      await this.world.wipe();
      this.#now += 20;
      for (const model of this.#models) model.wipe();
    } else if ('elapse' in step) await this.#elapse(step.elapse);
    else await this.#ask(step.process, step.asks);
  }

  /** Sends a harmless operation, since the store expires leases only during operations. */
  async #elapse(milliseconds: number): Promise<void> {
    await this.world.elapse(milliseconds);
    this.#now += milliseconds;
    const views = this.#views[0] as readonly LimitView[];
    const probes = views.map((view, key) => {
      const probe = view.probe();
      return { op: probe.op('release'), key, hear: (reply: Reply) => void probe.hear(reply) };
    });
    await this.#send(0, probes);
  }

  async #ask(process: number, asks: readonly Ask[]): Promise<void> {
    const asked = new Set<LeaseProbe>();
    const all = asks.flatMap((ask) => this.#asked(process, ask, asked) ?? []);
    if (all.length > 0) await this.#send(process, all);
  }

  async #send(process: number, asked: readonly Asked[]): Promise<void> {
    const from = this.processes[process] as StoreProcess;
    const replies = (await from.ask(asked.map(({ op }) => op))) as Reply[];
    for (const { newlyGranted } of this.#models) newlyGranted.clear();
    const expected = asked.map(({ op, key }, at) =>
      (this.#models[key] as LimitModel).do(
        op,
        from.store.leaseDuration,
        this.#now,
        replies[at] as Reply,
      ),
    );
    for (const [at, { op, key, hear }] of asked.entries()) {
      const reply = replies[at] as Reply;
      const isNews = this.#takeNews(reply, op, key);
      const { state, reclaimed } = expected[at] as Expected;
      const answer = { state: isNews ? 'held' : state, reclaimed };
      expect([op.verb, reply]).toMatchObject([op.verb, answer]);
      // The replies of one batch may report the counts after the whole batch.
      const { inflight, queued, limit, version, declared = [] } = reply;
      const { status, mode } = reply.operated ?? { status: 'open', mode: 'enforce' };
      const later = expected.filter((_, other) => other >= at && asked[other]?.key === key);
      const standings = later.map(({ standing }) => standing);
      expect(standings).toContainEqual({ inflight, queued, limit, version, declared });
      const ways = later.map(({ operated }) => operated);
      expect(ways).toContainEqual({ status, mode, isPaused: reply.pausedFor !== undefined });
      hear(reply);
    }
  }

  /**
   * Whether the reply says that an operation of the same batch has granted the lease. The store then pushes no grant.
   */
  #takeNews({ state }: Reply, op: Op, key: number): boolean {
    const { granted, newlyGranted } = this.#models[key] as LimitModel;
    const id = op.verb === 'declare' ? '' : op.lease.id;
    if (state !== 'held' || !newlyGranted.delete(id)) return false;
    granted.delete(id);
    return true;
  }

  /**
   * Undefined if the operation is invalid now, or if its lease is already in this batch: operations on one lease in a
   * batch have no defined order.
   */
  #asked(process: number, ask: Ask, asked: Set<LeaseProbe>): Asked | undefined {
    const views = this.#views[process] as readonly LimitView[];
    if ('key' in ask) {
      const view = views[ask.key] as LimitView;
      if (!('wishes' in ask)) {
        return { op: changeOf(view, ask), key: ask.key, hear: (reply) => void view.hear(reply) };
      }
      const probe = view.probe(ask.wishes);
      this.#probes.push({ probe, key: ask.key, process });
      asked.add(probe);
      return this.#of(probe, ask.key, ask.verb);
    }
    const own = this.#probes.filter((known) => known.process === process);
    const known = own[ask.at % own.length];
    if (known === undefined || asked.has(known.probe)) return undefined;
    const { probe, key } = known;
    // A lease that may not wait never sends `stay`; a lease that is queued or was never held never sends `renew`.
    if (ask.verb === 'stay' && probe.wishes.wait === 0) return undefined;
    const waits = (this.#models[key] as LimitModel).waits(probe.id);
    if (ask.verb === 'renew' && (waits || !probe.wasHeld)) return undefined;
    asked.add(probe);
    return ask.verb === 'resize'
      ? this.#resize(probe, key, ask.weight)
      : this.#of(probe, key, ask.verb === 'again' ? 'acquire' : ask.verb);
  }

  #of(probe: LeaseProbe, key: number, verb: LeaseVerb): Asked {
    return { op: probe.op(verb), key, hear: (reply) => void probe.hear(reply) };
  }

  #resize(probe: LeaseProbe, key: number, weight: number): Asked {
    const wishes = { ...probe.wishes, weight };
    probe.resized = true;
    const lease = { ...probe.request(), weight };
    const hear = (reply: Reply) => {
      probe.hear(reply);
      if (reply.state === 'held') probe.wishes = wishes;
    };
    return { op: { verb: 'resize', lease }, key, hear };
  }

  /** Waits for the grant, unless the message may have been lost. */
  async #grantArrived(probe: LeaseProbe): Promise<void> {
    await probe.grantOrCheck(this.#checks.get(probe.view.process) ?? 0);
  }

  /** Checks that exactly the granted leases were reported, and that the counts match. */
  async end(): Promise<void> {
    for (const { probe, key } of this.#probes) {
      const model = this.#models[key] as LimitModel;
      if (model.granted.has(probe.id)) await this.#grantArrived(probe);
      else if (!model.admitted.has(probe.id)) expect(probe.grants).toEqual([]);
    }
    const views = this.#views[0] as readonly LimitView[];
    for (const [key, model] of this.#models.entries()) {
      const { inflight, holders, queued } = model;
      const stats = await (views[key] as LimitView).stats();
      expect(stats).toMatchObject({ inflight, holders, queued });
    }
    for (const { probe } of this.#probes) await probe.release();
  }
}

function changeOf(view: LimitView, ask: Change): Op {
  if (ask.verb === 'operate') return view.operateOp(ask.change);
  if (ask.verb === 'pauseFor') return view.pauseOp(ask.pause);
  return ask.verb === 'declare' ? view.declareOp(ask.limit) : view.setLimitOp(ask.limit);
}
