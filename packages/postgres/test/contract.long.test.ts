import { contractSuite } from './contract.ts';

// The other topics: contract.test.ts.
contractSuite(['a model']);
