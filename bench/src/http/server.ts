import { type Serve, type SituationName, situations } from './situation.ts';

/** A measured server in its own process: reports its port, and its CPU time on request. */
const [framework, name = '', situation] = process.argv.slice(2);
const { cases } = (await import(`./${framework}-cases.js`)) as { cases: Record<string, Serve> };
const serve = cases[name];
if (!serve) throw new Error(`${framework} has no case called ${name}`);
const port = await serve(situations[situation as SituationName]);
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.on('disconnect', () => process.exit());
process.send?.(port);
