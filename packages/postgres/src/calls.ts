import type { Answer, Grant, LimitRef, Op, Reply } from '@headgate/core/shared';
import { type Address, addressOf } from './address.ts';

/** The store that sends operations. */
export interface Sender {
  readonly owner: string;
  /** Milliseconds, whole. */
  readonly lease: number;
  /** Those that have been worked out so far. */
  readonly addresses: WeakMap<LimitRef, Address>;
}

/** Operations on one limit that one call of the function does. */
export interface Call {
  readonly address: Address;
  readonly words: string[];
  /** Which of the operations asked for. */
  readonly indices: number[];
  readonly version: string | null;
  readonly limit: number;
}

/** What concerns one limit goes together, in its order. */
export function callsOf(ops: readonly Op[], sender: Sender): Call[] {
  const calls: Call[] = [];
  const latest = new Map<string, Call>();
  for (const [index, op] of ops.entries()) {
    const ref = op.verb === 'setLimit' ? op.ref : op.lease.ref;
    const version = (op.verb !== 'setLimit' && ref.version) || null;
    const address = addressIn(ref, sender);
    let call = latest.get(address.hash);
    if (call?.version !== version || call.limit !== ref.limit) {
      call = { address, version, limit: ref.limit, indices: [], words: [] };
      latest.set(address.hash, call);
      calls.push(call);
    }
    call.indices.push(index);
    encode(op, call.words);
  }
  return calls;
}

/** A limiter asks for the same limit over and over, by the same object. */
function addressIn(ref: LimitRef, { addresses }: Sender): Address {
  let address = addresses.get(ref);
  if (address === undefined) {
    address = addressOf(ref);
    addresses.set(ref, address);
  }
  return address;
}

function encode(op: Op, words: string[]): void {
  if (op.verb === 'setLimit') {
    words.push(op.verb, '', '0', '0', '0', '0', '', '');
    return;
  }
  const { id, weight, wait, queueLimit, place, fencing, spare, reserves } = op.lease;
  const where = op.verb === 'acquire' ? whole(queueLimit) : known(place);
  const micros = whole(wait * 1_000);
  const [weighs, spares] = [whole(weight), whole(spare)];
  words.push(op.verb, id, weighs, spares, reserves ? '1' : '0', micros, where, `${fencing ?? ''}`);
}

/** What is no place would fail all that it is sent with. It is left out: who waits joins at the end of the line. */
function known(place = ''): string {
  return /^\d{1,18}$/.test(place) ? place : '';
}

/** As PostgreSQL reads a whole number: 1e15 is above any count or time that comes up, and stands for Infinity. */
export function whole(value: number): string {
  return `${Math.min(Math.ceil(value), 1e15)}`;
}

/** Who is to be told something. */
export interface News {
  /** Who was let in, besides those who asked. */
  readonly grants: readonly Grant[];
  /** The processes that are to release what they do not use. */
  readonly recalled: readonly string[];
}

/** Lines that an answer begins with, and lines about each operation. */
const [heading, perOperation] = [5, 4];

/** Reads the answer to a call, as `lease.sql.ts` describes it. */
export function decode(
  reply: string,
  { indices, limit }: Pick<Call, 'indices' | 'limit'>,
  { lease }: Sender,
  answers: (Answer | undefined)[],
): News {
  const lines = reply.split('\n');
  const [most, version = '', soonest, reclaimed, recalled] = lines;
  const due = soonest ? Number(soonest) / 1_000 : Infinity;
  let at = heading;
  for (const index of indices) {
    const state = lines[at] as Reply['state'];
    const extra = lines[at + 1] as string;
    answers[index] = {
      state,
      fencing: state === 'held' ? BigInt(extra) : undefined,
      place: state === 'queued' ? extra : undefined,
      inflight: Number(lines[at + 2]),
      queued: Number(lines[at + 3]),
      // Infinity was sent as another number.
      limit: most === whole(limit) ? limit : Number(most),
      version,
      checkIn: Math.min(Math.max(due, 0) + 1, lease / 3),
      // They are of the whole call: only its first answer tells of them.
      reclaimed: at === heading ? Number(reclaimed) : 0,
    };
    at += perOperation;
  }
  const grants: Grant[] = [];
  for (; at + 1 < lines.length; at += 2) {
    grants.push({ id: lines[at] as string, fencing: BigInt(lines[at + 1] as string) });
  }
  return { grants, recalled: recalled ? recalled.split(' ') : [] };
}
