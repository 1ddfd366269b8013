// Programs that PATH lacks, from Debian's or Ubuntu's packages, unpacked without root.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export const works = (program) =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

/** Unpacks a package, and those that it needs and that are not installed, into `folder/root`. */
export function unpackDebian(folder, name) {
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
    run('apt-get', [...options, 'install', '-qq', '-y', ...only, name]);
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
