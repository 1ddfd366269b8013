import { readFileSync } from 'node:fs';
import { hostOf } from '../hosts/index.ts';
import { contenders, type Protection } from './contenders.ts';
import type { Assignment, LimitSample, ProcessReport } from './protocol.ts';
import { rejecting } from './rejecting.ts';
import { handlers } from './resources.ts';

const assignment = JSON.parse(process.argv[2] ?? '') as Assignment;
const host = await hostOf(assignment.host);
const { limit, ...app } = await protection();
process.send?.(await host.listen({ ...app, handle: handler() }));

const limitSamples: LimitSample[] = [];
if (limit) setInterval(() => limitSamples.push({ time: Date.now(), limit: limit() }), 100).unref();

process.on('message', () => {
  const maxRss = process.resourceUsage().maxRSS * 1024;
  process.send?.({ ...mainThread(), maxRss, limitSamples } satisfies ProcessReport);
});
process.on('disconnect', () => process.exit());

async function protection(): Promise<Protection> {
  const { resource, server } = assignment;
  const protection =
    resource === 'rejecting'
      ? await rejecting[server]?.(host)
      : await contenders[server]?.create(resource, host);
  if (!protection) throw new Error(`no server is called ${server}`);
  return protection;
}

function handler(): () => unknown {
  if (assignment.resource !== 'rejecting') return handlers[assignment.resource](assignment.work);
  return () => ({});
}

/** Linux reports both per thread; elsewhere, falls back to the CPU time of the whole process. */
function mainThread(): { cpu: number; starved: number } {
  try {
    const [ran, waited] = readFileSync('/proc/self/schedstat', 'utf8').split(' ');
    return { cpu: Number(ran) / 1e6, starved: Number(waited) / 1e6 };
  } catch {
    const { user, system } = process.cpuUsage();
    return { cpu: (user + system) / 1_000, starved: 0 };
  }
}
