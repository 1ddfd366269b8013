import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@headgate/test-kit/temporary-folder';
import { beforeEach, describe, expect, test } from 'vitest';

describe.each([
  { name: 'headgate-server', home: '../../packages/server/', program: 'dist/main.js' },
  { name: 'headgate', home: '../../packages/cli/', program: 'dist/main.js' },
  { name: 'headgate-postgres', home: '../../packages/postgres/', program: 'dist/print-sql.js' },
])('the launcher of $name', ({ name, home, program }) => {
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder();
    for (const part of ['bin', 'package.json'])
      cpSync(new URL(part, new URL(home, import.meta.url)), join(folder, part), {
        recursive: true,
      });
    symlinkSync(join(folder, 'bin', `${name}.js`), join(folder, 'link'));
  });

  function launch(
    ...args: readonly string[]
  ): Pick<SpawnSyncReturns<string>, 'status' | 'stdout' | 'stderr'> {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(folder, 'link'), ...args],
      { encoding: 'utf8' },
    );
    return { status, stdout, stderr };
  }

  test('a launcher starts the built program through a symlink', () => {
    mkdirSync(dirname(join(folder, program)), { recursive: true });
    writeFileSync(
      join(folder, program),
      'console.log(process.argv.slice(2)); process.exitCode = 7;',
    );
    expect(launch('--help')).toEqual({ status: 7, stdout: "[ '--help' ]\n", stderr: '' });
  });

  test('a launcher in a clone says in one line how to build the program', () => {
    const stderr = `${name} is not built yet: run \`npm run build\` in the repository first.\n`;
    expect(launch()).toEqual({ status: 1, stdout: '', stderr });
  });
});
