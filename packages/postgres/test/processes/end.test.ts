import { runToEnd } from '@headgate/test-servers/processes';
import { expect, test, vi } from 'vitest';
import { useDatabase } from './database.ts';

const database = useDatabase();
const program = new URL('./one-shot.ts', import.meta.url);

test.each(['closing', 'leaving', 'holding'])(
  'a process without further work ends, %s',
  async (ending) => {
    await runToEnd(program, database.url, ending);
    await vi.waitFor(async () => expect(await database.connections()).toBe(0), 5_000);
    const left = await database.ask('SELECT count(*)::int FROM headgate.members');
    // The next process detects a process that left without closing its store.
    expect(left).toBe(ending === 'closing' ? 0 : 1);
  },
  30_000,
);
