// The command with short passes, from the sources.
import { run } from '../../src/command.ts';
import { shortTimes } from './command.ts';

const register = `--import ${import.meta.resolve('@headgate/node/register')}`;
const hook = `${process.execArgv.join(' ')} ${process.env.TEST_HOOK ?? register}`;
process.exitCode = await run(process.argv.slice(2), process, { times: shortTimes, hook });
