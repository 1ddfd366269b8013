import { encode, type Op } from '@headgate/store-kit';

/** Maximum length of a batch in characters. The service accepts a megabyte. */
const MAX_LENGTH = 250_000;

/** The bodies that carry these operations in their order, with the number of operations of each. */
export function batchesOf(
  ops: readonly Op[],
  owner: string,
  leaseDuration: number,
): { readonly body: string; readonly size: number }[] {
  const groups: string[][] = [];
  let length = Infinity;
  for (const op of ops) {
    const text = encode(op);
    if (length + text.length > MAX_LENGTH) {
      groups.push([]);
      length = 0;
    }
    groups.at(-1)?.push(text);
    length += text.length;
  }
  const head = `{"owner":"${owner}","leaseDuration":${leaseDuration}`;
  return groups.map((group) => ({ body: `${head},"ops":[${group}]}`, size: group.length }));
}
