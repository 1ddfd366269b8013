import type { OperatedState } from '@headgate/core/distributed';
import type { StoreUnderTest } from './environment.ts';

/** The limit that is operated while it is in use; it is also its value at first. */
export const operatedLimit = 2;

/** How a limit is operated that never was. */
export const neverOperated: OperatedState = { status: 'open', mode: 'enforce', version: '' };

/** The limits of a round. */
export function limitsOf({ operates }: StoreUnderTest): readonly number[] {
  return operates ? [1, 3, operatedLimit] : [1, 3];
}
