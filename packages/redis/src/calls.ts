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
} from '@headgate/store-kit';
import { redisKey } from './key.ts';
import { linesOf } from './reply.ts';

/** Maximum number of operations per script. Bounded, since Redis executes no other command meanwhile. */
const MAX_OPERATIONS = 500;

/** The store that sends the calls. */
export interface Sender {
  readonly owner: string;
  readonly prefix: string;
  /** Milliseconds, a whole number. */
  readonly leaseDuration: number;
  /** The keys that were computed so far. */
  readonly keys: WeakMap<LimitRef, string>;
}

/** The operations on one limit that one script performs. */
export interface Call {
  readonly key: string;
  readonly args: string[];
  /** The indices of these operations in the batch that was sent. */
  readonly indices: number[];
  readonly version: string;
  readonly declared: readonly number[] | undefined;
  readonly operated: OperatedState | undefined;
  readonly limit: number;
}

/** Groups the operations by limit and keeps their order within each limit. */
export function callsOf(ops: readonly Op[], sender: Sender): Call[] {
  const calls: Call[] = [];
  const latest = new Map<string, Call>();
  for (const [index, op] of ops.entries()) {
    const ref = op.verb === 'declare' ? op.ref : op.lease.ref;
    const { limit, version, declared, operated } = ref;
    const key = keyOf(ref, sender);
    let call = latest.get(key);
    const isKnown = call?.version === version && call.limit === limit && call.operated === operated;
    if (call === undefined || !isKnown || call.indices.length === MAX_OPERATIONS) {
      call = { key, version, declared, operated, limit, indices: [], args: heading(ref, sender) };
      latest.set(key, call);
      calls.push(call);
    }
    call.indices.push(index);
    encode(op, call.args, sender);
  }
  return calls;
}

/** Cached by object, because a limiter sends the same `LimitRef` with every operation. */
function keyOf(ref: LimitRef, { prefix, keys }: Sender): string {
  let key = keys.get(ref);
  if (key === undefined) {
    key = redisKey(prefix, ref);
    keys.set(ref, key);
  }
  return key;
}

/** Index of the flag for calls that must succeed even without free memory. A call that only acquires may fail. */
const MUST_NOT_FAIL = 6;
/** Index of the flag for calls in which an operation may hold permits in reserve. */
const RESERVING = 7;
/** Index of the flag for calls whose lease may be stored with another weight. */
const SEARCHING = 8;

function heading(ref: LimitRef, { leaseDuration, owner, prefix }: Sender): string[] {
  const { name, key, limit, version, operated } = ref;
  const [declared = 0, before = 0] = version === '' ? [limit] : (ref.declared ?? []);
  const numbers = `${whole(declared)} ${whole(before)}`;
  const about = JSON.stringify(key === undefined ? [name] : [name, key]);
  const known = operated === undefined ? '' : `${operatedCode(operated)} ${operated.version}`;
  const state = [whole(limit), version, `${leaseDuration}`, owner, prefix, about];
  return [...state, '0', '0', '0', known, numbers];
}

function encode(op: Op, args: string[], { leaseDuration }: Sender): void {
  if (op.verb !== 'acquire') args[MUST_NOT_FAIL] = '1';
  if (op.verb === 'declare') {
    const { status = '', mode = '' } = operatedCodes(op.change ?? {});
    args.push(op.verb, `${status}`, `${mode}`, op.pause === undefined ? '-1' : whole(op.pause));
    return;
  }
  const { id, wait, queueLimit, place, fencing, extraTokens: spare, reserves, resized } = op.lease;
  const weight = whole(op.lease.weight);
  const reserve = reserves ? 1 : 0;
  const holder = `h${weight}:${reserve}:${id}`;
  args.push(op.verb, holder, `w${weight}:${leaseDuration}:${spare}:${reserve}:${id}`, weight);
  if (resized || op.verb === 'resize') args[SEARCHING] = '1';
  if (op.verb === 'release') return;
  if (reserves) args[RESERVING] = '1';
  const line = op.verb === 'acquire' ? whole(queueLimit) : (place ?? '');
  args.push(`${spare}`, whole(wait), line, `${fencing ?? ''}`);
}

/** Formats a number for Lua. Infinity becomes 1e12, which is higher than any count or time. */
function whole(value: number): string {
  return `${Math.min(Math.ceil(value), 1e12)}`;
}

/** Number of lines before the lines of the operations. */
const HEADING = 7;

/** Assigns each operation its answer. Returns the permits granted to other waiters of this process. */
export function decode(
  reply: unknown,
  { indices, limit, declared: known }: Call,
  { leaseDuration }: Sender,
  answers: (Answer | undefined)[],
): Grant[] {
  const words = linesOf(reply, HEADING + 2 * indices.length);
  const applied = words[0] === whole(limit) ? limit : Number(words[0]);
  const declared = words[6] ? words[6].split(' ').map(Number).filter(Boolean) : known;
  const version = words[1] as string;
  const nextEnd = Number(words[2] || Infinity);
  const checkIn = Math.min(Math.max(nextEnd, 0) + 1, leaseDuration / 3);
  let reclaimed = Number(words[3]);
  const inflight = Number(words[4]);
  const queued = Number(words[5]);
  const { operated, pausedFor } = operatedFrom(words, HEADING + 2 * indices.length);
  let at = HEADING;
  for (const index of indices) {
    const state = words[at] as Reply['state'];
    let extra = words[at + 1] as string;
    let [held, waiting] = [inflight, queued];
    if (operated !== undefined) {
      // In shadow mode, the token of a lease that was not queued is followed by the weight held at that time.
      const [token = '', then] = extra.split(' ');
      extra = token;
      if (then !== undefined) [held, waiting] = [Number(then), 0];
    }
    const fencing = state === 'held' && extra !== '' ? BigInt(extra) : undefined;
    const place = state === 'queued' ? extra : undefined;
    answers[index] ??= {
      state,
      fencing,
      place,
      inflight: held,
      queued: waiting,
      limit: applied,
      version,
      declared,
      operated,
      pausedFor,
      checkIn,
      reclaimed,
    };
    // The count covers the whole call, so only the first answer reports it.
    reclaimed = 0;
    at += 2;
  }
  return grantsFrom(words, at);
}

/** The last line of the answer, unless the lines from `start` on are all pairs that belong to grants. */
function operatedFrom(words: readonly string[], start: number) {
  if ((words.length - start) % 2 === 0) return {};
  const [code, version = '', paused] = (words.at(-1) as string).split(' ');
  return { operated: operatedState(Number(code), version), pausedFor: Number(paused) || undefined };
}

function grantsFrom(words: readonly string[], start: number): Grant[] {
  const grants: Grant[] = [];
  for (let at = start; at + 1 < words.length; at += 2) {
    grants.push({ id: words[at] as string, fencing: BigInt(words[at + 1] as string) });
  }
  return grants;
}
