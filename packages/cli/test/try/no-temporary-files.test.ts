import { afterEach, expect, test, vi } from 'vitest';
import { App } from '../../src/try/app.ts';
import type { Generator } from '../../src/try/generator.ts';
import { processesOf } from '../../src/try/process-tree.ts';

afterEach(() => vi.unstubAllEnvs());

test('the app starts, and is found and ended, where no temporary file can be written', async () => {
  vi.stubEnv('TMPDIR', `${import.meta.filename}/none`);
  const mark = 'no-temporary-files';
  const command = [process.execPath, '-e', 'setInterval(() => {}, 1000)'];
  // Nothing listens on port 1.
  const start = { url: new URL('http://127.0.0.1:1/'), command, mark, env: {}, maxStart: 1_000 };
  const app = await App.start(start, { do: async () => undefined } as unknown as Generator);
  try {
    expect(processesOf({ mark })).toHaveLength(1);
  } finally {
    await app.stop();
  }
  expect(processesOf({ mark })).toEqual([]);
});
