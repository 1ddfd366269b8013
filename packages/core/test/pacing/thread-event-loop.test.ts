import { expect, it, onTestFinished, vi } from 'vitest';
import type { EventLoop } from '../../src/index.ts';
import { threadEventLoop } from '../../src/pacing/thread-event-loop.ts';

/** The event loop as a new process would choose it. */
async function chosen(copy: string): Promise<EventLoop> {
  // Another copy of the module, since each one chooses once.
  const file = `../../src/pacing/thread-event-loop.ts?${copy}`;
  const module: { threadEventLoop(): EventLoop } = await import(file);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });
  return module.threadEventLoop();
}

it('is measured on Node', async () => {
  const loop = threadEventLoop();
  expect(loop.isMeasured).toBe(true);
  const polled = new Promise<void>((resolve) => loop.whenPolled(resolve));
  await polled;
  expect(loop.idle()).toBeLessThan(loop.now());
});

/** As much of `node:perf_hooks` as some runtimes imitate. */
const hooks = { performance: { nodeTiming: { idleTime: 0 } } };

it.each([
  ['on Cloudflare Workers', () => vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })],
  [
    'on a runtime without the modules of Node',
    () => vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never),
  ],
  [
    'on a runtime that does not measure it',
    () => vi.spyOn(process, 'getBuiltinModule').mockReturnValue(hooks as never),
  ],
])('seems idle %s, so that no request is held back', async (runtime, imitate) => {
  imitate();
  const loop = await chosen(runtime);
  expect([loop.isMeasured, loop.accepted()]).toEqual([false, 0]);
  const onPoll = vi.fn();
  loop.whenPolled(onPoll);
  const [before, idle, after] = [loop.now(), loop.idle(), loop.now()];
  expect(idle).toBeGreaterThanOrEqual(before);
  expect(idle).toBeLessThanOrEqual(after);
  await new Promise(setImmediate);
  expect(onPoll).not.toHaveBeenCalled();
});
