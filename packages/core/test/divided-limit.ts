import { type Caller, call, type Wishes } from '@headgate/test-kit/caller';
import { byShare, createLimiter, type LimiterOptions } from '../src/index.ts';

const shares = { gold: 0.6, free: 0.3 };

/** A limit of ten, divided into shares. `ask` requests a permit of a share, and `many` several permits. */
export function divided(options: Partial<LimiterOptions> = {}) {
  const order = byShare(shares);
  const limiter = createLimiter({ limit: 10, queueLimit: 100, order, ...options });
  const ask = (share?: string, wishes: Wishes = {}) => call(limiter, { ...wishes, share });
  const many = (count: number, share?: string) => Array.from({ length: count }, () => ask(share));
  return { limiter, ask, many };
}

export const isIn = ({ permit }: Caller) => permit !== undefined;

export function free(callers: Caller[]): void {
  for (const { permit } of callers) permit?.release();
}
