// Programs that PATH lacks, from Debian's or Ubuntu's packages, unpacked without root.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes sure of a program: `usual` names where it may be, and if none of them runs, `folder/root` has Debian’s packages,
 * `names`. `wrong` says that the place that somebody has named has none. Where nothing helps, it tells what would:
 * `macOS` and `elsewhere`.
 */
export function findProgram(
  program,
  { usual, folder, names = [program], wrong, macOS, elsewhere },
) {
  if (usual.some(works) || existsSync(join(folder, 'root'))) return;
  try {
    if (wrong) throw new Error(wrong);
    console.log(`No ${program} here: taking Debian’s into ${folder} (once)…`);
    unpack(folder, names);
  } catch (error) {
    // Whatever needs none goes on; the tests that do need one fail and say the same.
    console.error(`
There is no ${program}: ${error.message}.
Tests that need one will fail. Any of these helps:
  Debian, Ubuntu: apt-get install ${names.join(' ')}
  macOS: ${macOS}${elsewhere ? `\n  another place: ${elsewhere}` : ''}
`);
  }
}

function works(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}

/** Packages, and those that they need and that are not installed, into `folder/root`. */
function unpack(folder, names) {
  if (!works('apt-get')) throw new Error('there is no apt-get either');
  const work = join(folder, `work-${process.pid}`);
  // Whoever runs it may read it, whatever this process does with its files otherwise.
  const umask = process.umask(0o022);
  const archives = join(work, 'archives');
  try {
    for (const part of ['lists/partial', 'archives/partial'])
      mkdirSync(join(work, part), { recursive: true });
    const options = [
      `Dir::State::lists=${work}/lists`,
      `Dir::Cache=${work}`,
      `Dir::Cache::archives=${archives}`,
      'APT::Sandbox::User=root',
      'Debug::NoLocking=1',
      'Acquire::Languages=none',
      'Acquire::Retries=1',
      'Acquire::http::Timeout=20',
    ].flatMap((option) => ['-o', option]);
    run('apt-get', [...options, 'update', '-qq']);
    // Whatever the system says that it has: what is wanted here is the package's files.
    const only = ['--download-only', '--reinstall', '--no-install-recommends'];
    run('apt-get', [...options, 'install', '-qq', '-y', ...only, ...names]);
    for (const file of readdirSync(archives).filter((name) => name.endsWith('.deb')))
      run('dpkg', ['-x', join(archives, file), join(work, 'root')]);
    // Of two commands that set up at once, one is first.
    if (!existsSync(join(folder, 'root'))) renameSync(join(work, 'root'), join(folder, 'root'));
  } finally {
    process.umask(umask);
    rmSync(work, { recursive: true, force: true });
  }
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? `exit ${status}`}`);
}
