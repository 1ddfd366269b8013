import { createGate, fair, type Permit } from '@headgate/core';
import { Semaphore } from 'async-mutex';
import { createLLMBulkhead } from 'async-bulkhead-llm';
import { estimate, patience, promptTokens, slots } from './scenario.ts';

/** An admitted request. */
export interface Admitted {
  /** Called for each token of the answer. */
  used(tokens: number): void;
  release(): void;
}

/** Resolves to undefined if the request is rejected. The signal aborts when the client disconnects. */
export type Admit = (tenant: string, signal: AbortSignal) => Promise<Admitted | undefined>;

export const contenders: Readonly<Record<string, () => Admit>> = {
  headgate() {
    const gate = createGate({
      limits: [{ name: 'tokens', limit: slots * estimate, queueWeight: 200 * estimate }],
      order: fair(),
      queueLimit: 1_000,
      queueTimeout: patience,
    });
    return async (fairBy, signal) => {
      const admission = gate.acquire({ weights: { tokens: estimate }, fairBy, signal });
      const permit = await admission.catch(() => undefined);
      return permit && corrected(permit);
    };
  },

  /** In the order of arrival. */
  'plain semaphore'() {
    const semaphore = new Semaphore(slots);
    return async () => {
      const [, release] = await semaphore.acquire();
      return { used() {}, release };
    };
  },

  'async-bulkhead-llm'() {
    return bulkhead();
  },

  'async-bulkhead-llm, with a queue'() {
    return bulkhead({ maxQueue: 200, timeoutMs: patience });
  },
};

/** Charges the tenant for the tokens of the answer, up and down. */
function corrected(permit: Permit): Admitted {
  let total = promptTokens;
  return {
    used(tokens) {
      total = promptTokens + tokens;
      if (total > permit.weight) permit.adjust(total);
    },
    release() {
      permit.adjust(total);
      permit.release();
    },
  };
}

function bulkhead(queue: { maxQueue?: number; timeoutMs?: number } = {}): Admit {
  const limit = createLLMBulkhead({
    model: 'model',
    maxConcurrent: slots,
    tokenBudget: {
      budget: slots * estimate,
      estimator: () => ({ input: promptTokens, maxOutput: estimate - promptTokens }),
    },
    ...queue,
  });
  return async (_tenant, signal) => {
    const request = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 200 };
    const result = await limit.acquire(request, { signal });
    if (!result.ok) return undefined;
    let output = 0;
    return {
      used(tokens) {
        output = tokens;
      },
      release: () => result.token.release({ usage: { input: promptTokens, output } }),
    };
  };
}
