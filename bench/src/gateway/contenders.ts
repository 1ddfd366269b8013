import { createGate, fair, type Permit } from '@headgate/core';
import { Semaphore } from 'async-mutex';
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
      limits: [
        // While few requests wait, a tenant must not take all slots with long answers.
        { name: 'tenant', limit: slots / 4, perKey: true },
        { name: 'tokens', limit: 2 * slots * estimate, queueWeight: 200 * estimate },
      ],
      order: fair(),
      queueLimit: 1_000,
      queueTimeout: patience,
    });
    return async (fairBy, signal) => {
      const admission = gate.acquire({
        weights: { tokens: estimate },
        keys: { tenant: fairBy },
        fairBy,
        signal,
      });
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

  /** As libraries for AI endpoints do that reject at once what does not fit. */
  'semaphore without a queue'() {
    const semaphore = new Semaphore(slots);
    return async () => {
      if (semaphore.isLocked()) return undefined;
      const [, release] = await semaphore.acquire();
      return { used() {}, release };
    };
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
