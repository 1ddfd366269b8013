import { createLimiter } from '@headgate/core';
import { clock } from './scaled-time.ts';

export const LIMIT = 4;

/** The limiter of the only server of this process. */
export const limiter = createLimiter({ name: 'hanging', limit: LIMIT, clock });

/** The options of the middleware. */
export const options = { limiter, clock };
