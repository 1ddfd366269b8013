import { interleavings } from './interleavings.ts';

interleavings(200);
