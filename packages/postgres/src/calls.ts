import {
  type Answer,
  type Grant,
  type LimitRef,
  type Op,
  type OperatedState,
  operatedCode,
  operatedCodes,
  operatedState,
  type Reply,
  SET_NOW,
} from '@headgate/store-kit';
import { type Address, addressOf } from './address.ts';

/** The store that sends operations. */
export interface Sender {
  readonly owner: string;
  /** Milliseconds, a whole number. */
  readonly leaseDuration: number;
  /** The addresses that were computed so far. */
  readonly addresses: WeakMap<LimitRef, Address>;
}

/** The operations on one limit that one call of the SQL function performs. */
export interface Call {
  readonly address: Address;
  /** The indices of these operations in the batch that was sent. */
  readonly indices: number[];
  /** The version as a number. null declares the limit, -1 sets it. */
  readonly version: string | null;
  /** The last two declared numbers, as this process knows them. */
  readonly declared: readonly number[];
  /** How the limit is operated, as this process knows it. The first operation of `words` contains it. */
  readonly operated: OperatedState | undefined;
  readonly limit: number;
}

/** Groups the operations by limit and keeps their order within each limit. */
export function callsOf(ops: readonly Op[], sender: Sender): Call[] {
  const calls: Call[] = [];
  const latest = new Map<string, Call>();
  for (const [index, op] of ops.entries()) {
    const next = callOf(op, index, sender);
    const { hash } = next.address;
    const call = latest.get(hash);
    if (call !== undefined && hasSameLimitState(call, next)) {
      call.indices.push(index);
    } else {
      latest.set(hash, next);
      calls.push(next);
    }
  }
  return calls;
}

/** A call that performs only this operation. */
export function callOf(op: Op, index: number, sender: Sender): Call {
  const ref = op.verb === 'declare' ? op.ref : op.lease.ref;
  const { limit, operated } = ref;
  const address = addressIn(ref, sender);
  const version = ref.version === SET_NOW ? '-1' : ref.version || null;
  const declared = version === null ? [limit] : (ref.declared ?? []);
  return { address, version, declared, operated, limit, indices: [index] };
}

/** Whether both send the server the same state of the limit. */
function hasSameLimitState(one: Call, other: Call): boolean {
  return (
    one.version === other.version && one.limit === other.limit && one.operated === other.operated
  );
}

/** The operations of a call, in the format that `lease.sql.ts` describes. */
export function wordsOf({ indices, operated }: Call, ops: readonly Op[]): string[] {
  const words = knownOf(operated);
  for (const index of indices) encode(ops[index] as Op, words);
  return words;
}

/** Cached by object, because a limiter sends the same `LimitRef` with every operation. */
function addressIn(ref: LimitRef, { addresses }: Sender): Address {
  let address = addresses.get(ref);
  if (address === undefined) {
    address = addressOf(ref);
    addresses.set(ref, address);
  }
  return address;
}

function knownOf(operated: OperatedState | undefined): string[] {
  if (operated === undefined) return [];
  return ['operated', '', '0', '0', '0', '0', `${operatedCode(operated)}`, operated.version];
}

function encode(op: Op, words: string[]): void {
  if (op.verb === 'declare') {
    const { status = '', mode = '' } = operatedCodes(op.change ?? {});
    const pause = op.pause === 0 ? -1 : (op.pause ?? 0) * 1_000;
    words.push(op.verb, '', '0', '0', '0', whole(pause), `${status}`, `${mode}`);
    return;
  }
  const { id, weight, wait, queueLimit, place, fencing, extraTokens: spare, reserves } = op.lease;
  const where = op.verb === 'acquire' ? whole(queueLimit) : known(place);
  const micros = whole(wait * 1_000);
  const [weighs, spares] = [whole(weight), whole(spare)];
  words.push(op.verb, id, weighs, spares, reserves ? '1' : '0', micros, where, `${fencing ?? ''}`);
}

/** Omits an invalid place, which would make the whole batch fail. The waiter then joins at the end of the queue. */
function known(place = ''): string {
  return /^\d{1,18}$/.test(place) ? place : '';
}

/** Formats a whole number for PostgreSQL. Infinity becomes 1e15, which is higher than any count or time. */
export function whole(value: number): string {
  return `${Math.min(Math.ceil(value), 1e15)}`;
}

/** Processes that must be notified after a call. */
export interface Notifications {
  /** Permits granted to waiters, except those in the answers to the operations. */
  readonly grants: readonly Grant[];
  /** The processes that must release the permits they hold in reserve. */
  readonly recalled: readonly string[];
  /** The processes that must be notified of a change in how the limit is operated. */
  readonly operated: readonly string[];
}

/** Number of lines at the start of an answer, and for each operation. */
const [heading, perOperation] = [6, 4];

/** Parses the answer to a call; `lease.sql.ts` describes its format. */
export function decode(
  reply: string,
  { indices, limit, operated: known }: Pick<Call, 'indices' | 'limit' | 'operated'>,
  { leaseDuration }: Sender,
  answers: (Answer | undefined)[],
): Notifications {
  const lines = reply.split('\n');
  const [most, version = '', soonest, reclaimed, recalled, numbers = ''] = lines;
  const declared = numbers
    .split(' ')
    .map(Number)
    .filter((number) => number > 0);
  const due = soonest ? Number(soonest) / 1_000 : Infinity;
  const start = known === undefined ? heading : heading + perOperation;
  const { operated, pausedFor, owners } = operatedFrom(
    lines,
    start + perOperation * indices.length,
  );
  let at = start;
  for (const index of indices) {
    const state = lines[at] as Reply['state'];
    const extra = lines[at + 1] as string;
    answers[index] = {
      state,
      fencing: state === 'held' ? BigInt(extra) : undefined,
      place: state === 'queued' ? extra : undefined,
      inflight: Number(lines[at + 2]),
      queued: Number(lines[at + 3]),
      // Infinity was sent as 1e15.
      limit: most === whole(limit) ? limit : Number(most),
      version,
      declared,
      operated,
      pausedFor,
      checkIn: Math.min(Math.max(due, 0) + 1, leaseDuration / 3),
      // The count covers the whole call, so only the first answer reports it.
      reclaimed: at === start ? Number(reclaimed) : 0,
    };
    at += perOperation;
  }
  const grants: Grant[] = [];
  for (; at + 1 < lines.length; at += 2) {
    grants.push({ id: lines[at] as string, fencing: BigInt(lines[at + 1] as string) });
  }
  return { grants, recalled: recalled ? recalled.split(' ') : [], operated: owners };
}

/**
 * The last line of the answer, unless the lines from `start` on are all pairs that belong to grants. Without
 * operations, there is no such line.
 */
function operatedFrom(lines: readonly string[], start: number) {
  if (start === heading || (lines.length - start) % 2 === 0) return { owners: [] };
  const [code, version = '', paused, ...owners] = (lines.at(-1) as string).split(' ');
  const operated = operatedState(Number(code), version);
  return { operated, pausedFor: Number(paused) / 1_000 || undefined, owners };
}
