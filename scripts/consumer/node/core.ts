import type {} from '@headgate/ai';
import type {} from '@headgate/ai/mcp';
import { guard as createGuard, createLimiter, memoryUse, RejectedError } from '@headgate/core';
import type {} from '@headgate/core/http';

const limiter = createLimiter({ limit: 4, queueLimit: 20, queueTimeout: 2_000 });

export const guard = createGuard({ name: 'memory', ...memoryUse() });

export async function pages(signal: AbortSignal): Promise<number> {
  try {
    return await limiter.run((permit) => permit.weight, { signal });
  } catch (error) {
    if (error instanceof RejectedError) return error.rejection.retryAfter;
    throw error;
  }
}
