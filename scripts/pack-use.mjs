// Installs the packed packages in an empty project, as a user would, and uses them from there.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { manifest, pack } from './tarballs.mjs';

const project = mkdtempSync(join(tmpdir(), 'headgate-consumer-'));
const tsc = resolve('node_modules/typescript/bin/tsc');

function run(command, ...args) {
  console.log(`$ ${command} ${args.join(' ')}`);
  const { status, error } = spawnSync(command, args, {
    cwd: project,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error ?? `exit ${status}`}`);
}

const pinned = (adapter, ...names) =>
  names.map((name) => `${name}@${manifest(adapter).devDependencies[name]}`);
const tarballs = pack();

try {
  cpSync('scripts/consumer', project, { recursive: true });
  run(
    'npm',
    'install',
    '--no-audit',
    '--no-fund',
    ...tarballs,
    ...pinned('express', 'express', '@types/express'),
    ...pinned('koa', 'koa', '@types/koa'),
    ...pinned('hono', 'hono'),
    ...pinned('redis', 'ioredis', 'redis'),
    ...pinned('postgres', 'pg', '@types/pg'),
  );
  run(process.execPath, 'use.mjs');
  run(process.execPath, 'use.cjs');
  run(process.execPath, tsc, '-p', 'core.json');
  run(
    process.execPath,
    tsc,
    '-p',
    'core.json',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
  );
  run(process.execPath, tsc, '-p', 'adapters.json');
  run('npx', 'headgate-postgres', '--schema', 'limits');
  run('npx', 'headgate-server', '--help');
  console.log('The packed packages work from import, from require() and from TypeScript.');
} finally {
  rmSync(project, { recursive: true, force: true });
}
