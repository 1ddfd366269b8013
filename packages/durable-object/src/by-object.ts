import type { LimitName, Op } from '@headgate/core/distributed';

/** The name of the object that counts a limit, or one key of it. */
export function objectName({ name, key }: LimitName): string {
  return JSON.stringify(key === undefined ? [name] : [name, key]);
}

/** Operations on one object. */
export interface Share {
  readonly ops: Op[];
  /** The index of each one among all operations. */
  readonly indexes: number[];
}

/** Divides operations among the objects that execute them, in their order. */
export function byObject(ops: readonly Op[]): Map<string, Share> {
  const shares = new Map<string, Share>();
  for (const [index, op] of ops.entries()) {
    const name = objectName(op.verb === 'setLimit' ? op.ref : op.lease.ref);
    const share = shares.get(name) ?? { ops: [], indexes: [] };
    shares.set(name, share);
    share.ops.push(op);
    share.indexes.push(index);
  }
  return shares;
}
