import { libraries } from './clients.ts';
import { suiteThrough } from './suite.ts';

// contract.test.ts covers ioredis 6.
for (const library of libraries) {
  if (library.name !== 'ioredis 6') await suiteThrough(library);
}
