import { runToEnd } from '@headgate/test-servers/processes';
import { describe, test } from 'vitest';
import { useServer } from '../server.ts';

const { server: redis } = await useServer();
const program = new URL('./one-shot.ts', import.meta.url);

const endings = ['closing', 'leaving', 'holding'];
const cases = ['ioredis', 'node-redis'].flatMap((library) =>
  endings.map((ending) => ({ library, ending })),
);

describe.concurrent('a process that has closed its client ends', { timeout: 30_000 }, () => {
  test.each(cases)('with $library, $ending', async ({ library, ending }) => {
    await runToEnd(program, `${redis.port}`, library, ending);
  });
});
