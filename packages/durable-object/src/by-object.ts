import type { LimitName, Op } from '@headgate/store-kit';

/** The name of the object that counts a limit, or one key of it. */
export function objectName({ name, key }: LimitName): string {
  return JSON.stringify(key === undefined ? [name] : [name, key]);
}

/** The limit of an operation. */
export function refOf(op: Op): LimitName {
  const { name, key } = op.verb === 'declare' ? op.ref : op.lease.ref;
  return { name, key };
}

/** Operations on one object. */
export interface ObjectBatch {
  readonly ops: Op[];
  /** The index of each operation in the whole batch. */
  readonly indices: number[];
}

/** Divides operations among the objects that execute them, in their order. */
export function byObject(ops: readonly Op[]): Map<string, ObjectBatch> {
  const batches = new Map<string, ObjectBatch>();
  for (const [index, op] of ops.entries()) {
    const name = objectName(refOf(op));
    const batch = batches.get(name) ?? { ops: [], indices: [] };
    batches.set(name, batch);
    batch.ops.push(op);
    batch.indices.push(index);
  }
  return batches;
}
