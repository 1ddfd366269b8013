import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type RedisServer, startRedis } from '@headgate/test-servers';
import { afterAll, beforeAll, expect, test } from 'vitest';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

const program = fileURLToPath(new URL('./one-shot.ts', import.meta.url));
const endings = ['closing', 'leaving', 'holding'];
const cases = ['ioredis', 'node-redis'].flatMap((library) =>
  endings.map((ending) => ({ library, ending })),
);

test.each(cases)(
  'a process ends that has closed its client, with $library, $ending',
  async ({ library, ending }) => {
    const args = ['--conditions=headgate-source', '--import=tsx', program];
    const child = spawn(process.execPath, [...args, `${redis.port}`, library, ending], {
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    const timer = setTimeout(() => child.kill(), 20_000);
    const [code, signal] = await once(child, 'exit');
    clearTimeout(timer);
    expect({ code, signal, said }).toEqual({ code: 0, signal: null, said: '' });
  },
  30_000,
);
