import { contractSuite } from './contract.ts';

contractSuite();
