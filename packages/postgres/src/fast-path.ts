import { type Answer, type Op, operatedState, type Reply } from '@headgate/store-kit';
import type { Address } from './address.ts';
import { type Call, type Sender, whole } from './calls.ts';
import type { Query } from './client.ts';
import { type FastPathStatements, fastPathStatements } from './fast-path.sql.ts';
import { TtlMap } from './ttl-map.ts';

/**
 * The fast path: performs one acquire or release by a plain UPDATE of the limit's row, if the last known state suggests
 * that this is possible. The conditions of the UPDATE decide: if they do not hold, it changes nothing, and `lease()` is
 * called instead.
 */
export class FastPath {
  readonly #statements: FastPathStatements;
  readonly #sender: Sender;
  /** The latest answer for each limit. */
  readonly #replies = new WeakMap<Address, Reply>();
  /**
   * Where the leases named by operations probably are. An acquire of a known lease goes to `lease()`, since the lease
   * may be in the table of leases, which the UPDATE does not read. Entries live for twice the lease duration: a lease
   * that no operation has named for one lease duration has expired.
   */
  readonly #locations: TtlMap<'limit row' | 'unknown'>;

  constructor(schema: string, sender: Sender) {
    this.#statements = fastPathStatements(schema);
    this.#sender = sender;
    this.#locations = new TtlMap(2 * sender.leaseDuration);
  }

  /** The UPDATE that performs the operation, if its conditions hold; undefined if `lease()` must be called. */
  queryFor({ address, limit, version }: Call, op: Op): Query | undefined {
    if (op.verb !== 'acquire' && op.verb !== 'release') return undefined;
    const reply = this.#replies.get(address);
    if (reply === undefined || reply.queued > 0 || reply.limit !== limit) return undefined;
    // Only the answer of `lease()` shows whether the limit is still paused, rejecting or in shadow mode.
    if (isRestricted(reply)) return undefined;
    const { id, weight, extraTokens: spare, reserves } = op.lease;
    const values = [address.hash, version ?? reply.version, whole(weight), id, whole(limit)];
    const location = this.#locations.get(id);
    if (op.verb === 'release') {
      if (location !== 'limit row') return undefined;
      this.#locations.delete(id);
      return this.#query('release', values);
    }
    if (location !== undefined || (reply.inflight > 0 && reply.inflight + weight > limit))
      return undefined;
    this.#locations.set(id, 'limit row');
    values.push(`${this.#sender.leaseDuration * 1_000}`, whole(spare), reserves ? '1' : '0');
    return this.#query('acquire', values);
  }

  /** Decodes the answer of the UPDATE. Undefined if it has changed nothing, so that `lease()` must be called. */
  decode([row]: readonly unknown[][], { address }: Call): Reply | undefined {
    if (row === undefined) return undefined;
    const { limit, version, declared, operated: known } = this.#replies.get(address) as Reply;
    const [inflight, operatedAt = '0', token] = String(row[0]).split(' ');
    const isKnown = operatedAt === (known?.version ?? '0');
    const operated = isKnown ? known : operatedState(0, operatedAt);
    const reply: Reply = {
      state: token === undefined ? 'ok' : 'held',
      fencing: token === undefined ? undefined : BigInt(token),
      inflight: Number(inflight),
      queued: 0,
      limit,
      version,
      declared,
      operated,
      checkIn: this.#sender.leaseDuration / 3,
      reclaimed: 0,
    };
    this.#replies.set(address, reply);
    return reply;
  }

  /** Records that these operations are sent to `lease()`. */
  recordSent(ops: readonly Op[]): void {
    for (const op of ops) {
      if (op.verb === 'release') this.#locations.delete(op.lease.id);
      else if (op.verb !== 'declare') this.#locations.set(op.lease.id, 'unknown');
    }
  }

  /** Records what `lease()` has answered. */
  recordAnswered(
    { address, indices }: Call,
    ops: readonly Op[],
    answers: readonly (Answer | undefined)[],
  ): void {
    for (const index of indices) {
      const [op, answer] = [ops[index] as Op, answers[index]];
      if (answer === undefined || 'error' in answer) continue;
      this.#replies.set(address, answer);
      // Forgets a rejected or lost lease: it does not exist, and its id is not used again. Many of these would fill the
      // map.
      const isGone = answer.state === 'full' || answer.state === 'lost';
      if (isGone && op.verb !== 'declare') this.#locations.delete(op.lease.id);
    }
  }

  #query(name: 'acquire' | 'release', values: readonly string[]): Query {
    const text = this.#statements[name];
    return { name: `headgate ${name}`, text, values, rowMode: 'array', isPlain: true };
  }
}

function isRestricted({ operated, pausedFor }: Reply): boolean {
  if (pausedFor !== undefined) return true;
  return operated !== undefined && (operated.status !== 'open' || operated.mode !== 'enforce');
}
