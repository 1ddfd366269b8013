import type {
  Answer,
  Grant,
  LeaseVerb,
  LimitRef,
  Op,
  Reply,
  Standing,
} from '@headgate/core/shared';
import { redisKey } from './key.ts';

/** How many operations one script does at most: nobody else is served meanwhile. */
const most = 500;

const letters: Record<LeaseVerb | 'setLimit', string> = {
  acquire: 'a',
  stay: 's',
  renew: 'n',
  register: 'g',
  resize: 'z',
  release: 'r',
  setLimit: 'l',
};

/** Whose calls they are. */
export interface Caller {
  readonly owner: string;
  readonly prefix: string;
  /** Milliseconds, whole. */
  readonly lease: number;
}

/** Operations on one limit that one script does. */
export interface Call {
  readonly key: string;
  readonly args: string[];
  /** Which of the operations asked for. */
  readonly indices: number[];
  readonly version: string;
  readonly limit: number;
}

/** What concerns one limit goes together, in its order. */
export function callsOf(ops: readonly Op[], caller: Caller): Call[] {
  const calls: Call[] = [];
  const latest = new Map<string, Call>();
  for (const [index, op] of ops.entries()) {
    const ref = op.verb === 'setLimit' ? op.ref : op.lease.ref;
    const version = op.verb === 'setLimit' ? '' : ref.version;
    const key = redisKey(caller.prefix, ref);
    let call = latest.get(key);
    const isOther = call?.version !== version || call.limit !== ref.limit;
    if (call === undefined || isOther || call.indices.length === most) {
      call = { key, version, limit: ref.limit, indices: [], args: heading(ref, version, caller) };
      latest.set(key, call);
      calls.push(call);
    }
    call.indices.push(index);
    encode(op, call.args, caller);
  }
  return calls;
}

const mayNotFail = 6;

function heading(ref: LimitRef, version: string, { lease, owner, prefix }: Caller): string[] {
  const about = `recall\n${JSON.stringify([ref.name, ref.key])}`;
  return [whole(ref.limit), version, `${lease}`, owner, prefix, about, '0'];
}

function encode(op: Op, args: string[], { lease }: Caller): void {
  const letter = letters[op.verb];
  if (op.verb === 'setLimit') {
    args.push(letter, '', '0', '0:0:0', '', '');
    return;
  }
  const { id, weight, wait, queueLimit, place, fencing, spare, reserves } = op.lease;
  const tail = `${lease}:${spare}:${reserves ? 1 : 0}`;
  args.push(letter, id, `${weight}`, tail);
  if (op.verb === 'acquire') args.push(whole(wait), whole(queueLimit));
  else if (op.verb === 'stay') args.push(whole(wait), place ?? '');
  else args.push(`${fencing ?? ''}`, '');
  if (op.verb !== 'acquire') args[mayNotFail] = '1';
}

/** As Lua reads it; more than any count or time that comes up is as good as endless. */
function whole(value: number): string {
  return `${Math.min(Math.ceil(value), 1e12)}`;
}

/** What a script has answered. */
export function decode(
  reply: unknown,
  { indices }: Call,
  { lease }: Caller,
  answers: (Answer | undefined)[],
): Grant[] {
  // A client may have been told to make buffers of strings.
  const words = String(reply).split('\n');
  const [limit, version = '', inflight, queued, soonest, reclaimed] = words;
  const standing: Standing = {
    limit: Number(limit),
    version,
    inflight: Number(inflight),
    queued: Number(queued),
    checkIn: soonest === '' ? lease / 3 : Math.min(Math.max(Number(soonest), 0) + 1, lease / 3),
    reclaimed: 0,
  };
  let at = 6;
  for (const [i, index] of indices.entries()) {
    const state = words[at++] as Reply['state'];
    const extra = words[at++] ?? '';
    answers[index] ??= {
      ...standing,
      reclaimed: i === 0 ? Number(reclaimed) : 0,
      state,
      fencing: state === 'held' && extra !== '' ? BigInt(extra) : undefined,
      place: state === 'queued' ? extra : undefined,
    };
  }
  const grants: Grant[] = [];
  for (; at + 1 < words.length; at += 2) {
    grants.push({ id: words[at] as string, fencing: BigInt(words[at + 1] as string) });
  }
  return grants;
}
