import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const root = fileURLToPath(new URL('fixtures', import.meta.url));

async function run(...args: readonly string[]) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const child = spawn(process.execPath, [vitest, 'run', '--root', root, ...args], {
    env: { ...Object.fromEntries(inherited), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { code, stdout };
}

test('unexpected output and skipped tests fail a run', async () => {
  const { code, stdout } = await run();
  const told = stdout.split('\n').filter((line) => /^(FAILED|SKIPPED) |passed, /.test(line));
  const printed = (title: string, output: string) =>
    `FAILED output.fixture.ts${title}: unexpected output: ${output}`;
  const expected = [
    printed(' > a console', 'from a console'),
    printed(' > a stream', 'from a stream'),
    printed(' > a warning', 'Warning: from a test'),
    printed(' > a warning once per process, 1', 'Warning: again'),
    printed(' > a warning once per process, 2', 'Warning: again'),
    printed(' > too many listeners', 'MaxListenersExceededWarning:'),
    printed(' > a child that inherits stdout', 'from a child'),
    printed(' > a child that inherits stderr', 'from a child'),
    printed(' > concurrently > the first to end', 'from any of them'),
    printed('', 'from a hook'),
    'FAILED hook.fixture.ts: the hook failed',
    'SKIPPED hook.fixture.ts > after the hook',
    'SKIPPED skipped.fixture.ts > by its author',
    'SKIPPED skipped.fixture.ts > not yet written',
    '5 passed, 11 failed, 3 skipped',
  ];
  // Without the additions of Node and the core to warnings.
  const withoutRest = told.map((line) => line.replace(/ (Possible |\(@headgate).*/, ''));
  expect(withoutRest.sort()).toEqual(expected.sort());
  expect(code).toBe(1);
});

test('skipped tests alone fail a run', async () => {
  const { code, stdout } = await run('skipped');
  expect(stdout).toMatch(/\n0 passed, 0 failed, 2 skipped\n$/);
  expect(code).toBe(1);
});

test('a run of selected tests succeeds although the others are skipped', async () => {
  const stdout = '1 passed, 0 failed, 1 skipped\n';
  expect(await run('quiet', '-t', 'no output')).toEqual({ code: 0, stdout });
});

// Also checks the root's configuration.
test.fails('unexpected output fails a test', () => console.log('expected to fail this test'));
