import { ownLimits } from '../own-limits.ts';

// Nest responds to a POST with 201.
export const check = ownLimits(201);
