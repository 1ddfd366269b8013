import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import { contenders, type Protection } from './contenders.ts';
import { type Assignment, holdPath, type LimitSample, type ProcessReport } from './protocol.ts';
import { rejecting } from './rejecting.ts';
import { handlers } from './resources.ts';

const assignment = JSON.parse(process.argv[2] ?? '') as Assignment;
const { middleware, limit } = await protection();
const app = express();
app.use(middleware);
app.get(holdPath, () => {});
app.get('/', handler());
const listener = app.listen(0, '127.0.0.1', () => {
  process.send?.((listener.address() as AddressInfo).port);
});

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
      ? { middleware: await rejecting[server]?.() }
      : await contenders[server]?.create(resource);
  if (!protection?.middleware) throw new Error(`no server is called ${server}`);
  return protection as Protection;
}

function handler(): RequestHandler {
  if (assignment.resource !== 'rejecting') return handlers[assignment.resource](assignment.work);
  return (_req, res) => void res.json({});
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
