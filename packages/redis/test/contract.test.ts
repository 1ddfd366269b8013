import { libraries } from './clients.ts';
import { suiteThrough } from './suite.ts';

/** What depends on the client library: arguments, replies, messages and errors. leases.test.ts covers batches. */
const ofClients =
  'fencing tokens, names and keys, recalls, closing, a hanging store, a restarting store';

// contract.long.test.ts runs the full contract with the other libraries.
for (const library of libraries) {
  await suiteThrough(library, library.name === 'ioredis 6' ? undefined : ofClients.split(', '));
}
