import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bundle } from '@headgate/test-servers';
import { expect, test, vi } from 'vitest';
import { useDatabase } from './database.ts';

const database = useDatabase();
const program = new URL('./one-shot.ts', import.meta.url);

test.each(['closing', 'leaving', 'holding'])(
  'a process without further work ends, %s',
  async (ending) => {
    const child = spawn(process.execPath, [await bundle(program), database.url, ending], {
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
    await vi.waitFor(async () => expect(await database.connections()).toBe(0), 5_000);
    const left = await database.ask('SELECT count(*)::int FROM headgate.members');
    // The next process detects a process that left without closing its store.
    expect(left).toBe(ending === 'closing' ? 0 : 1);
  },
  30_000,
);
