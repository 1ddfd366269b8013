import { fileURLToPath } from 'node:url';
import { startWorkerd } from '@headgate/test-servers';
import { afterAll, describe, expect, it } from 'vitest';
import { excluded } from './excluded.ts';

const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const server = await startWorkerd({
  suite: {
    program: new URL('worker.ts', import.meta.url),
    aliases: {
      vitest: beside('vitest.ts'),
      'node:http': beside('http.ts'),
    },
    flags: ['enable_request_signal', 'nodejs_compat'],
    bindings: { SELF: 'suite' },
  },
});
afterAll(() => server.stop());

const at = (path: string) => fetch(`http://127.0.0.1:${server.port()}/${path}`);
const names: string[] = await (await at('')).json();
const left = new Set(Object.values(excluded).flat());

describe('the adapter suite within a Worker', () => {
  it.each(names.filter((name) => !left.has(name)))('%s', async (name) => {
    expect(await (await at(encodeURIComponent(name))).text()).toBe('passed');
  });

  it('names only tests that exist as excluded', () => {
    expect([...left].filter((name) => !names.includes(name))).toEqual([]);
  });
});
