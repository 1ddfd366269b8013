import type { OperatedState } from '@headgate/store-kit';

/** The number that identifies the limit which is operated while it is in use. It is also the limit's initial value. */
export const operatedLimit = 2;

/** The state of a limit that was never operated. */
export const neverOperated: OperatedState = { status: 'open', mode: 'enforce', version: '' };

/** The limits of a round. */
export const limits: readonly number[] = [1, 3, operatedLimit];
