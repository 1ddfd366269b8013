import { libraries } from './clients.ts';
import { suiteThrough } from './suite.ts';

// Through ioredis 6: contract.test.ts.
for (const library of libraries) {
  if (library.name !== 'ioredis 6') await suiteThrough(library);
}
