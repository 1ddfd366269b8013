// npm run bench -- storm [--only got]: some of the HTTP clients of `npm run simulate -- storm` on real sockets, in a minute.
// Their server hangs for fifteen seconds. Fails if a limited client misses a goal.
import { parseArgs } from 'node:util';
import { contendersNamed } from './contenders.ts';
import { realNetwork } from './network.ts';
import { PATIENCE, storm } from './storm.ts';
import { reachesGoals, rowOf, tableOf } from './table.ts';

const some =
  '^(`fetch`|got|three tries within a retry budget|`@headgate/fetch`, `limit: 4`|`fetch`, and a limit in the server)$';
const { values: options } = parseArgs({
  options: {
    /** A regular expression that selects clients. More than a few at once need more than one core. */
    only: { type: 'string', default: some },
  },
});
const phases = { before: 5_000, outage: 15_000, after: 30_000 };

const chosen = contendersNamed(options.only);
console.log(
  'A server hangs from the 5th to the 20th second, and is watched for 30 s more. Each client has a server of its own.\n',
);

const start = performance.now();
const rows = await Promise.all(
  chosen.map(async (contender) => {
    const results = [await storm(contender, 'hang', phases, realNetwork)];
    if (!reachesGoals(contender, results)) process.exitCode = 1;
    return rowOf(contender, results);
  }),
);
// Calls that are sent too late are another load.
const expected = phases.before + phases.outage + phases.after + PATIENCE;
const isTooBusy = performance.now() - start > 1.1 * expected;
if (isTooBusy)
  console.log('This machine was too busy to send the calls in time, so there is no result.');
else console.log(tableOf(['hang'], rows));
process.exit(isTooBusy ? 0 : process.exitCode);
