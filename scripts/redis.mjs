// A Redis server for tests, where PATH has none: Debian's package, unpacked without root into node_modules/.cache/redis.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';

const folder = resolve('node_modules/.cache/redis');

/** The server, and the libraries that a bare Debian or Ubuntu lacks for it; some are named so in one of them only. */
const packages = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1'];

const works = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

export function findRedis() {
  const named = process.env.REDIS_SERVER;
  const onPath = named ? [named] : ['redis-server', 'valkey-server'];
  if (onPath.some(works) || existsSync(join(folder, 'root'))) return;
  try {
    if (named) throw new Error(`REDIS_SERVER=${named} does not run`);
    if (!works('apt-get')) throw new Error('there is no apt-get either');
    console.log('No redis-server on PATH: taking Debian’s into node_modules/.cache/redis (once)…');
    unpackDebian();
  } catch (error) {
    // Whatever needs no Redis goes on; the tests that do need one fail and say the same.
    console.error(`
There is no Redis server: ${error.message}.
Tests that need one will fail. Any of these helps:
  Debian, Ubuntu: apt-get install redis-server
  macOS: brew install redis
  another place: REDIS_SERVER=/path/to/redis-server (or valkey-server)
`);
  }
}

function unpackDebian() {
  const work = join(folder, `work-${process.pid}`);
  const archives = join(work, 'archives');
  try {
    for (const part of ['lists/partial', 'archives/partial'])
      mkdirSync(join(work, part), { recursive: true });
    const options = [
      `Dir::State::lists=${work}/lists`,
      `Dir::Cache=${work}`,
      `Dir::Cache::archives=${archives}`,
      `APT::Sandbox::User=${userInfo().username}`,
      'Debug::NoLocking=1',
      'Acquire::Languages=none',
      'Acquire::Retries=1',
      'Acquire::http::Timeout=20',
    ].flatMap((option) => ['-o', option]);
    run('apt-get', [...options, 'update', '-qq']);
    run('apt-get', [...options, 'download', '-qq', ...packages], archives);
    for (const file of readdirSync(archives).filter((name) => name.endsWith('.deb')))
      run('dpkg', ['-x', join(archives, file), join(work, 'root')]);
    // Of two commands that set up at once, one is first.
    if (!existsSync(join(folder, 'root'))) renameSync(join(work, 'root'), join(folder, 'root'));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? `exit ${status}`}`);
}
