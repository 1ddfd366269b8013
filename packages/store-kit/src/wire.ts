/** Stands for Infinity, which JSON lacks. It is longer than any wait and larger than any queue. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/** Encodes operations, answers or messages as JSON. */
export function encode(value: object): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return `${part}`;
    return part === Infinity ? UNBOUNDED : part;
  });
}

/** Decodes what `encode` has returned. The type is not checked. */
export function decode<T>(text: string): T {
  return JSON.parse(text, withTokens);
}

/** Converts fencing tokens, which have more digits than a JSON number can hold. */
function withTokens(name: string, part: unknown): unknown {
  return name === 'fencing' && typeof part === 'string' ? BigInt(part) : part;
}
