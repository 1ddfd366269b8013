import { contractSuite } from './contract.ts';

// contract.test.ts has the other topics.
contractSuite(['a model']);
