import { interleavings } from './interleavings.ts';

// interleavings.long.test.ts runs more.
interleavings(4);
