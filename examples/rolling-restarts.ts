// Restarts the processes of an app behind a real nginx and a real HAProxy, one after the other and under load:
// `npm run chaos -- rolling`. Fails if one request fails, or if none does when the processes do not drain.
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Fleet } from './checks/rolling/fleet.ts';
import { Load } from './checks/rolling/load.ts';
import { haproxy, haproxyToHttp2, nginx, type Setup } from './checks/rolling/setups.ts';

const rounds = Number(process.argv[2] ?? 3);

/** Resolves to the number of failed requests. */
async function restart(setup: Setup, times: number, signal: NodeJS.Signals): Promise<number> {
  const fleet = await Fleet.start(setup.file, setup.addresses);
  const proxy = await setup.startProxy();
  try {
    const load = new Load(setup.port, setup.clients);
    const isInUse = (pid: number) => Promise.race([load.answeredBy(pid), timeout(pid)]);
    for (let round = 0; round < times; round++) await fleet.restart(signal, isInUse);
    await load.stop();
    const { requests, streams, rejected, failed, failures } = load;
    console.log(
      `${setup.name}: ${times} rolling restarts (${signal}), ${requests} requests, ${streams} event streams, ${rejected} rejected, ${failed} failed`,
    );
    for (const [failure, count] of failures) console.log(`  ${failure}, ${count} times`);
    return failed;
  } finally {
    fleet.stop();
    await proxy.stop();
  }
}

async function timeout(pid: number): Promise<never> {
  await pause(10_000, undefined, { ref: false });
  throw new Error(`process ${pid} receives no requests`);
}

const folder = await mkdtemp(join(tmpdir(), 'headgate-rolling-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const setups = await Promise.all([nginx(folder), haproxy(), haproxyToHttp2()]);
const failed = await Promise.all(setups.map((setup) => restart(setup, rounds, 'SIGTERM')));
// The app handles SIGTERM only, so another signal ends it without the drain.
const undrained = await Promise.all(setups.map((setup) => restart(setup, 1, 'SIGINT')));

if (failed.some((count) => count > 0)) {
  console.error('FAILED: requests failed while the processes drained');
  process.exitCode = 1;
}
if (undrained.some((count) => count === 0)) {
  console.error('FAILED: no request failed without the drain, so this check proves nothing');
  process.exitCode = 1;
}
