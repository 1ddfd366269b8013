import type { Answer, Op, Reply } from '@headgate/core/shared';
import type { Address } from './address.ts';
import { type Call, type Sender, whole } from './calls.ts';
import type { Query } from './client.ts';
import { Lately } from './lately.ts';
import { type QuickStatements, quickStatements } from './quick.sql.ts';

/** Asks for what is likely to be as simple as most operations are: whatever it takes for that may turn out not to be. */
export class Quick {
  readonly #statements: QuickStatements;
  readonly #sender: Sender;
  /** How each limit stands, as it was answered last. */
  readonly #replies = new WeakMap<Address, Reply>();
  /**
   * The leases that were named, and whether they are likely to be in the limit's own row. One that is asked for again is
   * left to `lease()`, since that row alone does not tell whether it is there. What nobody has named for a lease has gone.
   */
  readonly #isFresh: Lately<boolean>;

  constructor(schema: string, sender: Sender) {
    this.#statements = quickStatements(schema);
    this.#sender = sender;
    this.#isFresh = new Lately(2 * sender.lease);
  }

  /** Undefined where it is not simple. */
  query({ address, limit, version }: Call, op: Op): Query | undefined {
    if (op.verb !== 'acquire' && op.verb !== 'release') return undefined;
    const reply = this.#replies.get(address);
    if (reply === undefined || reply.queued > 0 || reply.limit !== limit) return undefined;
    const { id, weight, spare, reserves } = op.lease;
    const values = [address.hash, version ?? reply.version, whole(weight), id];
    const isFresh = this.#isFresh.get(id);
    if (op.verb === 'release') {
      if (isFresh !== true) return undefined;
      this.#isFresh.delete(id);
      return this.#query('release', values);
    }
    if (isFresh !== undefined || (reply.inflight > 0 && reply.inflight + weight > limit))
      return undefined;
    this.#isFresh.set(id, true);
    values.push(`${this.#sender.lease * 1_000}`, whole(spare), reserves ? '1' : '0');
    return this.#query('acquire', values);
  }

  /** What has been answered to that. */
  decode(row: string, { address }: Call): Reply {
    const { limit, version } = this.#replies.get(address) as Reply;
    const [inflight, token] = row.split(' ');
    const reply: Reply = {
      state: token === undefined ? 'ok' : 'held',
      fencing: token === undefined ? undefined : BigInt(token),
      inflight: Number(inflight),
      queued: 0,
      limit,
      version,
      checkIn: this.#sender.lease / 3,
      reclaimed: 0,
    };
    this.#replies.set(address, reply);
    return reply;
  }

  /** All of these are asked of `lease()`. */
  asked(ops: readonly Op[]): void {
    for (const op of ops) {
      if (op.verb === 'release') this.#isFresh.delete(op.lease.id);
      else if (op.verb !== 'setLimit') this.#isFresh.set(op.lease.id, false);
    }
  }

  /** What that has answered. */
  answered(
    { address, indices }: Call,
    ops: readonly Op[],
    answers: readonly (Answer | undefined)[],
  ): void {
    for (const index of indices) {
      const [op, answer] = [ops[index] as Op, answers[index]];
      if (answer === undefined || 'error' in answer) continue;
      this.#replies.set(address, answer);
      // Who was turned away is not there, and does not come again: in a flood that would be many.
      const isGone = answer.state === 'full' || answer.state === 'lost';
      if (isGone && op.verb !== 'setLimit') this.#isFresh.delete(op.lease.id);
    }
  }

  #query(name: 'acquire' | 'release', values: readonly string[]): Query {
    const text = this.#statements[name];
    return { name: `headgate ${name}`, text, values, rowMode: 'array', isPlain: true };
  }
}
