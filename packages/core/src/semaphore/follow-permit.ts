import { deferGrants } from './grants.ts';
import type { BasePermit } from './permit.ts';

/** Makes a change of a permit to another one. */
export type PermitUpdate = (other: BasePermit) => void;

const updates = ['release', 'mark', 'pauseCounting', 'countAgain', 'stopCounting'] as const;

/**
 * Calls back after each change of what a permit counts, before the change grants permits to waiters. Replaces methods of
 * this permit alone, so that no other permit pays for it.
 */
export function followPermit(permit: BasePermit, updated: (update: PermitUpdate) => void): void {
  for (const name of updates) {
    const original = permit[name];
    const followed = (...args: unknown[]) => {
      if (permit.released) return;
      deferGrants(() => {
        Reflect.apply(original, permit, args);
        updated((other) => Reflect.apply(other[name], other, args));
      });
    };
    Object.assign(permit, { [name]: followed });
  }
}
