import { setTimeout as sleep } from 'node:timers/promises';
import { ours } from '../distributed/contender-names.ts';
import { progress } from '../runner.ts';
import { number, type Table } from '../table.ts';
import { milliseconds } from '../timing.ts';
import { bound } from './contender-names.ts';
import { RedisScene } from './scene.ts';

const contenders = [ours, bound, 'redis-semaphore'];
const held = 10;
/** The lease in milliseconds: short, so that its end is observed. */
const lease = 300;
/** Milliseconds after which no further key is expected to expire. */
const expiryTimeout = 3_000;

interface Footprint {
  /** Bytes of all keys per held permit. */
  perPermit: number;
  keys: number;
  /**
   * Milliseconds until all keys are gone, after the permits were released and after the process was killed. Infinity if
   * some remain.
   */
  released: number;
  killed: number;
  /** The larger number of bytes remaining after the two. */
  left: number;
}

/** Measures the memory of limits in Redis, and what they leave behind. */
export function memory(): Promise<Table> {
  return RedisScene.during(async (scene) => {
    const all = new Map<string, Footprint>();
    for (const contender of contenders) {
      progress(`memory: ${contender}`);
      all.set(contender, await footprint(scene, contender));
    }
    return report(all);
  });
}

async function footprint(scene: RedisScene, contender: string): Promise<Footprint> {
  const [worker] = await scene.workers(1, { contender, limit: held, lease });
  await worker?.ask('hold', held);
  const { keys, bytes } = await used(scene);
  for (let i = 0; i < held; i++) await worker?.ask('letGo');
  const released = await untilEmpty(scene);
  const leftReleased = (await used(scene)).bytes;
  await worker?.ask('hold', held);
  await worker?.kill();
  const killed = await untilEmpty(scene);
  const left = Math.max(leftReleased, (await used(scene)).bytes);
  await scene.clear();
  return { perPermit: bytes / held, keys, released, killed, left };
}

/** The size of all keys in Redis. */
async function used({ control }: RedisScene): Promise<{ keys: number; bytes: number }> {
  const keys = await control.keys('*');
  const sizes = keys.map((key) => control.memory('USAGE', key, 'SAMPLES', 0));
  const bytes = (await Promise.all(sizes)).reduce((sum: number, size) => sum + (size ?? 0), 0);
  return { keys: keys.length, bytes };
}

async function untilEmpty({ control }: RedisScene): Promise<number> {
  const start = milliseconds();
  while ((await control.dbsize()) > 0) {
    if (milliseconds() - start > expiryTimeout) return Number.POSITIVE_INFINITY;
    await sleep(10);
  }
  return milliseconds() - start;
}

function report(all: ReadonlyMap<string, Footprint>): Table {
  const time = (value: number) => (Number.isFinite(value) ? number(value) : 'never');
  const { perPermit, left } = all.get(ours) ?? { perPermit: Number.NaN, left: Number.NaN };
  return {
    title: `Memory in Redis of a limit with ${held} permits held, and a lease of ${lease} ms`,
    columns: [
      '',
      'bytes a permit',
      'keys',
      'gone after release, ms',
      'after a crash, ms',
      'bytes left',
    ],
    rows: [...all].map(([name, footprint]) => [
      name,
      number(footprint.perPermit),
      number(footprint.keys),
      time(footprint.released),
      time(footprint.killed),
      number(footprint.left),
    ]),
    goals: [
      { what: 'a held permit', target: 150, measured: perPermit, unit: 'bytes' },
      { what: 'an idle limit after expiry', target: 0, measured: left, unit: 'bytes' },
    ],
  };
}
