import type {
  Answer,
  Grant,
  LeaseRequest,
  LimitName,
  Op,
  Reply,
  StoreStats,
} from '@headgate/store-kit';

/** A message from a store to an object: operations on its limit, in their order, or a request for its state. */
export type Call =
  | { readonly leaseDuration: number; readonly ops: readonly Op[] }
  | { readonly stats: true };

/** A line of the response. Grants may come before the line with the replies. */
export type Line =
  | { readonly replies: readonly Reply[] }
  | { readonly grant: Grant }
  | { readonly operated: LimitName }
  | { readonly stats: StoreStats };

/** Stands for Infinity, which JSON lacks. It is longer than any wait and larger than any queue. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

export function encode(value: Call | Line): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return `${part}`;
    return part === Infinity ? UNBOUNDED : part;
  });
}

export function decodeCall(text: string): Call {
  return JSON.parse(text, withTokens);
}

export function decodeLine(text: string): Line {
  return JSON.parse(text, withTokens);
}

/** Converts fencing tokens, which have more digits than a JSON number can hold. */
function withTokens(name: string, part: unknown): unknown {
  return name === 'fencing' && typeof part === 'string' ? BigInt(part) : part;
}

export function isQueued(answer: Answer): boolean {
  return 'state' in answer && answer.state === 'queued';
}

/** The lease that the operation may leave queued. */
export function waitingLease(op: Op): LeaseRequest | undefined {
  return op.verb === 'acquire' || op.verb === 'stay' ? op.lease : undefined;
}
