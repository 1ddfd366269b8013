import type { LimitName, Op } from '@headgate/store-kit';
import type { Context } from 'hono';
import * as v from 'valibot';
import type { Batch } from '../limits/limits.ts';
import { queryOf, refuse, textOf } from './input.ts';

/** Maximum size of a batch in bytes: a few thousand operations. */
const MAX_BATCH_BYTES = 1_048_576;
/** Names and keys are chosen by applications, keys often by their clients. */
const MAX_NAME_LENGTH = 4_096;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const positive = v.pipe(count, v.minValue(1));
const name = v.pipe(v.string(), v.maxLength(MAX_NAME_LENGTH));
/** A number in decimal, which may have more digits than a JSON number. */
const digits = v.pipe(v.string(), v.regex(/^\d{1,19}$/));
const id = v.pipe(v.string(), v.regex(/^[\w.-]{1,64}$/));
const status = v.picklist(['open', 'paused', 'rejecting']);
const mode = v.picklist(['enforce', 'shadow']);

/** Checked before the items, of which there may be half a million. */
const pair = v.custom<unknown[]>((value) => Array.isArray(value) && value.length <= 2);

const limitName = v.object({ name, key: v.optional(name) });

const ref = v.object({
  ...limitName.entries,
  limit: positive,
  version: v.union([digits, v.picklist(['', 'set'])]),
  declared: v.optional(v.pipe(pair, v.array(positive))),
  operated: v.optional(v.object({ status, mode, version: digits })),
});

const lease = v.object({
  ref,
  id,
  weight: positive,
  resized: v.boolean(),
  wait: v.pipe(v.number(), v.minValue(0)),
  queueLimit: count,
  place: v.optional(digits),
  fencing: v.optional(
    v.pipe(
      digits,
      v.transform((text) => BigInt(text)),
      v.maxValue(2n ** 63n),
    ),
  ),
  extraTokens: count,
  reserves: v.boolean(),
});

const change = v.object({ status: v.exactOptional(status), mode: v.exactOptional(mode) });

const pause = v.pipe(v.number(), v.minValue(0));

const batch = v.object({
  owner: id,
  leaseDuration: v.pipe(v.number(), v.minValue(100), v.maxValue(1e12)),
  ops: v.array(
    v.variant('verb', [
      v.object({
        verb: v.picklist(['acquire', 'stay', 'renew', 'register', 'resize', 'release']),
        lease,
      }),
      v.object({
        verb: v.literal('declare'),
        ref,
        change: v.optional(change),
        pause: v.optional(pause),
      }),
    ]),
  ),
});

/** Reads the operations of a process. Answers 413, 415, 400 or 422 for anything else. */
export async function batchOf(c: Context): Promise<Batch> {
  const output = await checked(c, batch);
  const isForeign = (op: Op) =>
    op.verb !== 'declare' && !op.lease.id.startsWith(`${output.owner}.`);
  if (output.ops.some(isForeign)) refuse(422, 'The id of a lease must start with its owner.');
  return output;
}

async function checked<T>(c: Context, schema: v.GenericSchema<unknown, T>): Promise<T> {
  const body = parsed(await textOf(c, MAX_BATCH_BYTES));
  // A body may have a hundred thousand faults, and the answer names one.
  const { success, output, issues } = v.safeParse(schema, body, { abortEarly: true });
  if (success) return output;
  const [{ message }] = issues;
  return refuse(422, `${v.getDotPath(issues[0]) ?? 'The body'}: ${message}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse(400, 'The body is not valid JSON.');
  }
}

export function ownerOf(c: Context): string {
  const owner = queryOf(c, 'owner');
  return v.is(id, owner) ? owner : refuse(400, 'owner must be the id of a process.');
}

/** Maximum time between two lines of the stream in milliseconds, from `every`. */
export function intervalOf(c: Context): number {
  const interval = Number(queryOf(c, 'every') ?? 1_000);
  const isValid = interval >= 10 && interval <= 60_000;
  return isValid
    ? interval
    : refuse(400, 'every must be a number of milliseconds from 10 to 60000.');
}

/** Reads the name of a limit. Answers as `batchOf` does. */
export function limitNameOf(c: Context): Promise<LimitName> {
  return checked(c, limitName);
}
