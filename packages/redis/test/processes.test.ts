import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { bundle, type RedisServer, startRedis } from '@headgate/test-servers';
import { beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { libraries } from './clients.ts';

let program: string;
let invoked: string;
beforeAll(async () => {
  program = await bundle(new URL('./app.ts', import.meta.url));
  invoked = await bundle(new URL('./invoked.ts', import.meta.url));
});

async function startServer({ onTestFinished }: TestContext): Promise<RedisServer> {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  return redis;
}

describe.concurrent.each(libraries)('$name', ({ name }) => {
  /** Starts an app with this call timeout in milliseconds, which a busy machine may need. */
  function start(context: TestContext, redis: RedisServer, timeout = 1_000) {
    return startProgram(program, context, redis, timeout);
  }

  function startProgram(
    file: string,
    { onTestFinished }: TestContext,
    { port }: RedisServer,
    duration: number,
  ) {
    const child = spawn(process.execPath, [file, name, `${port}`, `${duration}`], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
      child,
      says: async () => (await lines.next()).value as string,
      exit: once(child, 'exit'),
    };
  }

  test('a killed holder loses its permits within its lease, and dead or frozen waiters are skipped', async (context) => {
    const redis = await startServer(context);
    const holder = start(context, redis);
    expect(await holder.says()).toBe('held');
    const [dead, frozen] = [start(context, redis), start(context, redis)];
    const [last, next] = [dead.says(), frozen.says()];
    for (const said of [last, next]) said.catch(() => {});
    // Both wait, or will when they continue; then they find that they are too late.
    holder.child.kill('SIGKILL');
    dead.child.kill('SIGKILL');
    frozen.child.kill('SIGSTOP');
    const living = start(context, redis);
    expect(await living.says()).toBe('held');
    living.child.stdin.write('end\n');
    expect(await living.exit).toEqual([0, null]);
    frozen.child.kill('SIGCONT');
    expect(await next).toBe('held');
    frozen.child.stdin.write('end\n');
    expect(await frozen.exit).toEqual([0, null]);
  });

  test('an app without Redis gets errors, keeps running, and ends when it has no more work', async (context) => {
    const redis = await startServer(context);
    await redis.kill();
    const app = start(context, redis, 200);
    expect(await app.says()).toBe('ERR_HEADGATE_STORE_DOWN');
    expect(await app.exit).toEqual([0, null]);
  });

  test('a process frozen between two uses of a limit keeps no permit, and continues when it is thawed', async (context) => {
    const redis = await startServer(context);
    // No lease expires within the test.
    const [frozen, other] = [60_000, 60_000].map((lease) =>
      startProgram(invoked, context, redis, lease),
    ) as [ReturnType<typeof start>, ReturnType<typeof start>];
    const invoke = (app: typeof frozen, line: string) => {
      app.child.stdin.write(`${line}\n`);
      return app.says();
    };
    for (const line of ['first', 'second']) {
      expect(await invoke(frozen, line)).toBe(line);
      frozen.child.kill('SIGSTOP');
      expect(await invoke(other, `other ${line}`)).toBe(`other ${line}`);
      frozen.child.kill('SIGCONT');
    }
    expect(await invoke(frozen, 'third')).toBe('third');
  });
});
