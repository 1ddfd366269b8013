import { setTimeout as sleep } from 'node:timers/promises';
import { startProxy } from '@headgate/test-servers';
import { crashSuite } from '@headgate/test-servers/processes';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Held, type Limited, useCrew, type Waiting } from './crew.ts';
import { useDatabase } from './database.ts';

const crew = useCrew();
const database = useDatabase();

function start(count: number, options: Parameters<typeof crew.start>[2]) {
  return crew.start(count, database.server, options) as Promise<[Limited, Limited, Limited]>;
}

/** One behind a proxy holds a place that another one waits for. */
async function startBehindProxy(options: Parameters<typeof crew.start>[2]) {
  const proxy = await startProxy(database.server);
  onTestFinished(() => proxy.stop());
  const [one] = (await crew.start(1, proxy, options)) as [Limited];
  const [two] = (await crew.start(1, database.server, options)) as [Limited];
  const held = await one.acquire();
  const waiting = await two.wait();
  return { proxy, one, two, held, waiting };
}

/** Which comes first: that the holder learns of its loss, or that the other one is let in. */
function firstOf({ held, waiting }: { held: Held; waiting: Waiting }): Promise<string | undefined> {
  return Promise.race([
    held.aborted().then(({ code }) => code),
    waiting.held.then(() => 'granted to another'),
  ]);
}

/** All of these look after each other, and nobody else is there. */
async function inRing(processes: readonly Limited[]) {
  for (const one of processes) await one.do('stored');
  const look = async () =>
    expect(await database.ask('SELECT count(*)::int FROM headgate.members')).toBe(processes.length);
  await vi.waitFor(look, 5_000);
}

// Of PostgreSQL's list: P4 and P11. Long before the lease of who was killed has ended.
crashSuite({
  start: (count, options) => crew.start(count, database.server, options),
  lease: 20_000,
  back: 8_000,
  hasTokens: true,
});

test('P4: what a killed process held is back long before its lease ends', async () => {
  const [one, two, three] = await start(3, { limit: 1, lease: 20_000 });
  await inRing([one, two, three]);
  for (const victim of [one, two]) {
    await victim.acquire();
    const waiting = await three.wait();
    const killed = performance.now();
    await victim.worker.kill();
    const held = await waiting.held;
    const took = performance.now() - killed;
    // A second in which one that lives could have renewed, and a look four times a second.
    expect(took).toBeGreaterThan(900);
    expect(took).toBeLessThan(2_500);
    await held.release();
  }
  await three.saw('reclaimed', 2);
});

test('P4: the end of the connection of a process that lives takes nothing from it', async () => {
  const [one, two] = await start(2, { limit: 1, lease: 20_000 });
  await inRing([one, two]);
  const held = await one.acquire();
  const waiting = await two.wait();
  for (let i = 0; i < 3; i++) {
    const ended = await database.ask(
      `SELECT count(pg_terminate_backend(pid))::int FROM pg_locks WHERE locktype = 'advisory' AND granted`,
    );
    expect(ended).toBe(2);
    await sleep(600);
    await inRing([one, two]);
  }
  await sleep(1_500);
  expect(await held.isAborted()).toBe(false);
  expect(await two.do('stored')).toMatchObject({ inflight: 1, queued: 1 });
  expect([...one.of('lost'), ...two.of('lost'), ...one.of('reclaimed')]).toEqual([]);
  await held.release();
  await waiting.held;
});

test('P11: a holder that is cut off learns so before its lease has ended there', async () => {
  const scene = await startBehindProxy({ limit: 1, lease: 1_200, name: 'cut off' });
  scene.proxy.hold(true);
  expect(await firstOf(scene)).toBe('ERR_HEADGATE_LEASE_LOST');
  await scene.waiting.held;
});

test('P11: a holder that is taken for dead, and cannot renew, learns so before another is let in', async () => {
  const scene = await startBehindProxy({ limit: 1, lease: 20_000, name: 'taken for dead' });
  await inRing([scene.one, scene.two]);
  scene.proxy.refuse(true);
  scene.proxy.cut();
  expect(await firstOf(scene)).toBe('ERR_HEADGATE_LEASE_LOST');
  await scene.waiting.held;
});

test('P4: a holder that is taken for dead for a while, and can renew, keeps its permit', async () => {
  const options = { limit: 1, lease: 20_000, name: 'cannot listen' };
  const { proxy, one, two, held, waiting } = await startBehindProxy(options);
  await inRing([one, two]);
  proxy.refuse(true);
  await database.ask(
    `SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' AND granted`,
  );
  // Time is the subject: the second after which it would be over, and another one.
  await sleep(2_500);
  expect(await held.isAborted()).toBe(false);
  expect(await two.do('stored')).toMatchObject({ inflight: 1, queued: 1 });
  proxy.refuse(false);
  await held.release();
  await waiting.held;
});
