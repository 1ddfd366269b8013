import fc from 'fast-check';
import { afterAll, beforeAll } from 'vitest';
import { contractSuite } from './contract.ts';

// Ends the random runs of the model after four seconds; contract.long.test.ts runs all of them.
beforeAll(() => fc.configureGlobal({ interruptAfterTimeLimit: 4_000 }));
afterAll(() => fc.resetConfigureGlobal());

contractSuite();
