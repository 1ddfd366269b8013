/** How many lanes there are. */
const deck = 128;
/** How many of them a party is dealt. */
const handSize = 6;

/** The numbers of a party's lanes, all different and always the same for one seed. */
export function deal(party: string, seed: number): readonly number[] {
  const hand: number[] = [];
  let chance = hash(party, seed);
  for (let left = deck; left > deck - handSize; left--) {
    hand.push(nth(chance % left, hand));
    chance = Math.floor(chance / left);
  }
  return hand;
}

/** Of the numbers that are not in the hand yet. */
function nth(index: number, hand: readonly number[]): number {
  let number = index;
  for (const taken of [...hand].sort((one, other) => one - other)) if (taken <= number) number++;
  return number;
}

/**
 * 53 bits from two multiplicative hashes (the first is FNV-1a), each finished as in MurmurHash3. They need not withstand an attack:
 * the seed is secret.
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
