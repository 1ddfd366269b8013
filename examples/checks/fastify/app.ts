import { ownLimits } from '../own-limits.ts';

export const check = ownLimits(200);
