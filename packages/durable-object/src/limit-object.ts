import { decode, encode, type LimitName } from '@headgate/store-kit';
import { MemoryLimit } from '@headgate/store-kit/memory-store';
import { refOf } from './by-object.ts';
import type { ObjectContext } from './durable-object.ts';
import { type Call, isQueued, waitingLease } from './protocol.ts';
import { PushedGrants } from './pushed-grants.ts';
import { SavedLimit } from './saved-limit.ts';

type Parts = ConstructorParameters<typeof MemoryLimit>;

/**
 * The Durable Object that counts one limit, or one key of it, for all isolates. Export it from the Worker's main module,
 * and name it in the Worker's configuration, in a binding and in a migration with `new_sqlite_classes`.
 */
export class LimitObject {
  readonly #storage: ObjectContext['storage'];
  readonly #grants = new PushedGrants();
  /** The limit and its saved state. Undefined until the limit is used. */
  #begun: { readonly limit: MemoryLimit; readonly saved: SavedLimit } | undefined;
  /** The latest time at which the alarm fires, as far as this instance knows. */
  #alarm = Infinity;
  /** The time of the latest operation; Infinity if this instance has executed none. */
  #lastUsed = Infinity;
  /** The limit that the latest operation has named. */
  #name: LimitName | undefined;

  constructor({ storage }: ObjectContext) {
    this.#storage = storage;
  }

  /** Answers the operations of stores. */
  async fetch(request: Request): Promise<Response> {
    const call = decode<Call>(await request.text());
    const { limit, saved } = this.#begin();
    const response =
      'stats' in call
        ? new Response(`${encode({ stats: limit.stats(this.#moment(0)) })}\n`)
        : this.#execute(limit, call);
    saved.write(limit.memory);
    this.#setAlarm(limit);
    return response;
  }

  /** Ends expired leases, and forgets a limit that is not paused and has not been used for twice its longest lease. */
  async alarm(): Promise<void> {
    this.#alarm = Infinity;
    const { limit, saved } = this.#begin();
    const moment = this.#moment(0);
    limit.expire(moment);
    // Saved, since the runtime evicts idle objects: the next alarm may reach another instance.
    if (limit.nextExpiry === Infinity) {
      limit.memory.idleSince ??= Math.min(this.#lastUsed, moment.now);
    }
    if (moment.now >= this.#forgetAt(limit)) {
      this.#begun = undefined;
      this.#lastUsed = Infinity;
      return this.#storage.deleteAll();
    }
    saved.write(limit.memory);
    this.#setAlarm(limit);
  }

  #execute(limit: MemoryLimit, { leaseDuration, ops }: Exclude<Call, { stats: true }>): Response {
    const moment = this.#moment(leaseDuration);
    this.#lastUsed = moment.now;
    limit.memory.idleSince = undefined;
    const [first] = ops;
    if (first !== undefined) this.#name = refOf(first);
    const ids = ops.flatMap((op) => waitingLease(op)?.id ?? []);
    // The response is opened first, since a later operation may grant a lease that an earlier one has queued.
    const response = this.#grants.open(ids);
    const replies = ops.map((op) => limit.do(op, moment));
    for (const [index, op] of ops.entries()) {
      const reply = replies[index];
      const id = waitingLease(op)?.id;
      if (id !== undefined && reply !== undefined && !isQueued(reply)) this.#grants.drop(id);
    }
    response.answer(replies);
    return new Response(response.body);
  }

  #begin() {
    if (this.#begun !== undefined) return this.#begun;
    const { micros } = this.#moment(0);
    const saved = new SavedLimit(this.#storage.sql);
    const notifier: Parts[0] = {
      granted: ({ id, fencing }) => this.#grants.push({ id, fencing }),
      // No isolate keeps idle leases.
      recall: () => {},
      operated: () => {
        if (this.#name !== undefined) this.#grants.tell(this.#name);
      },
    };
    const journal: Parts[2] = {
      changed: (lease) => saved.changed(lease),
      removed: (id) => {
        saved.removed(id);
        this.#grants.drop(id);
      },
    };
    const limit = new MemoryLimit(notifier, saved.memory(micros), journal, saved.leases());
    this.#begun = { limit, saved };
    return this.#begun;
  }

  #setAlarm(limit: MemoryLimit): void {
    const due = Math.min(limit.nextExpiry, this.#forgetAt(limit));
    // The alarm is not moved if a renewal delays the next expiry, since it checks for that when it fires.
    if (due >= this.#alarm) return;
    this.#alarm = due;
    void this.#storage.setAlarm(due);
  }

  /**
   * When to forget the limit. Infinity if this instance does not know when the limit was last used. Then either nothing
   * is saved, or an earlier instance has set the alarm. If each call of `stats` replaced that alarm, it might never
   * fire.
   */
  #forgetAt({ memory }: MemoryLimit): number {
    const { idleSince = this.#lastUsed, longestLease, pausedUntil = 0 } = memory;
    return Math.max(idleSince + 2 * longestLease, pausedUntil);
  }

  /** The present time. It goes back if the object moves to a machine whose clock is behind. */
  #moment(leaseDuration: number) {
    const now = Date.now();
    return { now, micros: now * 1000, leaseDuration };
  }
}
