import type { Answer, Op, Reply } from '@headgate/core/shared';
import type { Address } from './address.ts';
import { type Call, type Sender, whole } from './calls.ts';
import type { Query } from './client.ts';
import { Lately } from './lately.ts';
import { type QuickStatements, quickStatements } from './quick.sql.ts';

/** What this process knows of a limit. */
interface Known {
  /** As it was answered last. */
  reply: Reply | undefined;
  /** How often this process has had leases moved from the limit's own row to their table. */
  moves: number;
}

/** Of a lease that is in their table. */
const moved = -1;

/** Asks for what is likely to be as simple as most operations are: whatever it takes for that may turn out not to be. */
export class Quick {
  readonly #statements: QuickStatements;
  readonly #sender: Sender;
  readonly #limits = new WeakMap<Address, Known>();
  /**
   * The leases that were named: in which move each was taken. One that is asked for again is left to `lease()`, since
   * the limit's own row does not tell that it is there. What was not named for a lease is not there any more.
   */
  readonly #leases: Lately<number>;

  constructor(schema: string, sender: Sender) {
    this.#statements = quickStatements(schema);
    this.#sender = sender;
    this.#leases = new Lately(2 * sender.lease);
  }

  /** Undefined where it is not simple. */
  query({ address, limit, version }: Call, op: Op): Query | undefined {
    if (op.verb !== 'acquire' && op.verb !== 'release') return undefined;
    const { reply, moves } = this.#known(address);
    if (reply === undefined || reply.queued > 0 || reply.limit !== limit) return undefined;
    const { id, weight, spare, reserves } = op.lease;
    const values = [address.hash, version ?? reply.version, whole(weight), id];
    const at = this.#leases.get(id);
    if (op.verb === 'release') {
      if (at !== moves) return undefined;
      this.#leases.delete(id);
      return this.#query('release', values);
    }
    if (at !== undefined || (reply.inflight > 0 && reply.inflight + weight > limit))
      return undefined;
    this.#leases.set(id, moves);
    values.push(`${this.#sender.lease * 1_000}`, whole(spare), reserves ? '1' : '0');
    return this.#query('acquire', values);
  }

  /** What has been answered to that. */
  decode(row: string, { address }: Call): Reply {
    const known = this.#known(address);
    const { limit, version } = known.reply as Reply;
    const [inflight, token] = row.split(' ');
    known.reply = {
      state: token === undefined ? 'ok' : 'held',
      fencing: token === undefined ? undefined : BigInt(token),
      inflight: Number(inflight),
      queued: 0,
      limit,
      version,
      checkIn: this.#sender.lease / 3,
      reclaimed: 0,
    };
    return known.reply;
  }

  /** All of these are asked of `lease()`. */
  moving({ address, indices }: Call, ops: readonly Op[]): void {
    this.#known(address).moves++;
    for (const index of indices) {
      const op = ops[index] as Op;
      if (op.verb === 'release') this.#leases.delete(op.lease.id);
      else if (op.verb !== 'setLimit') this.#leases.set(op.lease.id, moved);
    }
  }

  moved({ address, indices }: Call, answers: readonly (Answer | undefined)[]): void {
    const answer = answers[indices[indices.length - 1] as number];
    if (answer !== undefined && 'state' in answer) this.#known(address).reply = answer;
  }

  #known(address: Address): Known {
    let known = this.#limits.get(address);
    if (known === undefined) {
      known = { reply: undefined, moves: 0 };
      this.#limits.set(address, known);
    }
    return known;
  }

  #query(name: 'acquire' | 'release', values: readonly string[]): Query {
    const text = this.#statements[name];
    return { name: `headgate ${name}`, text, values, rowMode: 'array', isPlain: true };
  }
}
