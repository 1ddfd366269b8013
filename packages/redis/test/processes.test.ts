import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type RedisServer, startRedis } from '@headgate/test-servers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { libraries } from './clients.ts';

const program = fileURLToPath(new URL('./app.ts', import.meta.url));
let redis: RedisServer;
const running: ChildProcess[] = [];
beforeAll(async () => {
  redis = await startRedis();
});
beforeEach(() => redis.restart());
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => redis.stop());

describe.each(libraries)('$name', { timeout: 30_000 }, ({ name }) => {
  /** With milliseconds that a call may take, which a busy machine may need. */
  function start(timeout = 1_000) {
    const args = ['--conditions=headgate-source', '--import=tsx', program];
    const child = spawn(process.execPath, [...args, name, `${redis.port}`, `${timeout}`], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    running.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
      child,
      says: async () => (await lines.next()).value as string,
      exit: once(child, 'exit'),
    };
  }

  test('what a killed holder had is back within its lease; waiters killed or frozen are passed over', async () => {
    const holder = start();
    expect(await holder.says()).toBe('held');
    const [dead, frozen] = [start(), start()];
    const [last, next] = [dead.says(), frozen.says()];
    for (const said of [last, next]) said.catch(() => {});
    // Both wait, or will when they run on: then they find that they are late.
    holder.child.kill('SIGKILL');
    dead.child.kill('SIGKILL');
    frozen.child.kill('SIGSTOP');
    const living = start();
    expect(await living.says()).toBe('held');
    living.child.stdin.write('end\n');
    expect(await living.exit).toEqual([0, null]);
    frozen.child.kill('SIGCONT');
    expect(await next).toBe('held');
    frozen.child.stdin.write('end\n');
    expect(await frozen.exit).toEqual([0, null]);
  });

  test('an app whose Redis is down is told so, lives, and ends when it is done', async () => {
    await redis.kill();
    const app = start(200);
    expect(await app.says()).toBe('ERR_HEADGATE_STORE_DOWN');
    expect(await app.exit).toEqual([0, null]);
  });
});
