// The command with short passes, from the sources.
import { run } from '../../src/command.ts';

const times = {
  ...{ warmUp: 250, capacity: 500, before: 500, spike: 1_000, afterwards: 500, maxStart: 15_000 },
};
const hook = `${process.execArgv.join(' ')} --import ${import.meta.resolve('@headgate/node/register')}`;
process.exitCode = await run(process.argv.slice(2), process, { times, hook });
