import { libraries } from './clients.ts';
import { suiteThrough } from './suite.ts';

/** What a client library could break: arguments, replies, messages, and errors. The rest is the script's. */
const ofClients = 'fencing tokens, names and keys, batches, recalls, closing, a store that hangs';

// The contract in full through the other libraries: contract.long.test.ts.
for (const library of libraries) {
  await suiteThrough(library, library.name === 'ioredis 6' ? undefined : ofClients.split(', '));
}
