import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bundle } from '@headgate/test-servers';
import { beforeAll, describe, expect, test } from 'vitest';
import { useServer } from '../server.ts';

const { server: redis } = await useServer();
let program: string;
beforeAll(async () => {
  program = await bundle(new URL('./one-shot.ts', import.meta.url));
});

const endings = ['closing', 'leaving', 'holding'];
const cases = ['ioredis', 'node-redis'].flatMap((library) =>
  endings.map((ending) => ({ library, ending })),
);

describe.concurrent('a process that has closed its client ends', { timeout: 30_000 }, () => {
  test.each(cases)('with $library, $ending', async ({ library, ending }) => {
    const child = spawn(process.execPath, [program, `${redis.port}`, library, ending], {
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
  });
});
