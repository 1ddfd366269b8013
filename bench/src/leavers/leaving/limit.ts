import { createLimiter } from '@headgate/core';

export const LIMIT = 10;

/** The limiter of the only server of this process. */
export const limiter = createLimiter({ name: 'leaving', limit: LIMIT });
