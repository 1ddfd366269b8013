/** Number of subqueues. */
const SUBQUEUE_COUNT = 128;
/** Number of subqueues that a flow may use. */
const SHARD_SIZE = 6;

/** The numbers of a flow's subqueues. They are distinct, and depend only on the flow and the seed. */
export function shuffleShard(flow: string, seed: number): readonly number[] {
  const shard: number[] = [];
  let chance = hash(flow, seed);
  for (let left = SUBQUEUE_COUNT; left > SUBQUEUE_COUNT - SHARD_SIZE; left--) {
    shard.push(nth(chance % left, shard));
    chance = Math.floor(chance / left);
  }
  return shard;
}

/** The number at this index among the numbers that are not in the shard yet. */
function nth(index: number, shard: readonly number[]): number {
  let number = index;
  for (const taken of [...shard].sort((one, other) => one - other)) if (taken <= number) number++;
  return number;
}

/**
 * Returns 53 bits from two multiplicative hashes (the first is FNV-1a), each finalized as in MurmurHash3. Resistance to
 * attacks is not needed, since the seed is secret.
 */
function hash(text: string, seed: number): number {
  let low = seed ^ 0x811c9dc5;
  let high = seed ^ 0x9e3779b9;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b);
  }
  return (finish(high) >>> 11) * 2 ** 32 + finish(low);
}

function finish(bits: number): number {
  const once = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}
