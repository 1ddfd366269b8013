import fc from 'fast-check';
import { contractSuite } from './contract.ts';

// Ends the random runs of the model after four seconds. contract.long.test.ts does all of them.
fc.configureGlobal({ interruptAfterTimeLimit: 4_000 });

contractSuite();
