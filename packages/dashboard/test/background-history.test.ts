import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createLimiter } from '@headgate/core';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { Page } from '../src/dashboard.ts';
import type { PageState } from '../src/messages.ts';
import type { PageRequest } from '../src/page-request.ts';

const get: PageRequest = {
  ...{ method: 'GET', file: 'state', withoutSlash: undefined, isAmbiguous: false },
  ...{ query: () => undefined, header: () => undefined, body: async () => undefined },
};

it('the first viewer sees what happened since the dashboard was created, and a closed dashboard samples no longer', async () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ name: 'api', limit: 1, queueLimit: 0, clock });
  const page = new Page({ limits: [limiter], authorize: () => 'view' }, [], clock);
  clock.advance(100_000);
  const permit = await limiter.acquire();
  await expect(limiter.acquire()).rejects.toThrow();
  clock.advance(50_000);
  permit.release();
  clock.advance(50_000);
  const { body } = await page.respond(get, undefined);
  const { history } = JSON.parse(body as string) as PageState;
  const [samples = []] = Object.values(history);
  expect(samples).toHaveLength(200);
  expect(samples.filter(([, used]) => used === 1)).toHaveLength(50);
  expect([samples[99]?.[4], samples[100]?.[4]]).toEqual([0, 1]);
  page.close();
  expect(clock.armed).toBe(0);
});

it('a process with a dashboard exits by itself', async () => {
  const code = `
    import { createLimiter } from '@headgate/core';
    import { dashboard } from '@headgate/dashboard/express';
    dashboard({ limits: [createLimiter({ limit: 1 })] });
    console.log('created');`;
  const options = ['--import', 'tsx', '--conditions=headgate-source', '--input-type=module'];
  const folder = join(import.meta.dirname, '..');
  const run = promisify(execFile)(process.execPath, [...options, '--eval', code], {
    ...{ cwd: folder, timeout: 25_000 },
  });
  expect((await run).stdout).toBe('created\n');
}, 30_000);
