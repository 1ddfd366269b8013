// A project that has the packed packages installed, and the tests that import them.
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the tests import apart from the packages, and the manifests that have the versions. */
const dependencies = {
  'package.json': ['fast-check', 'vitest'],
  'packages/express/package.json': ['express'],
  'packages/hono/package.json': ['@hono/node-server', 'hono'],
  'packages/web/package.json': ['path-to-regexp'],
  'packages/koa/package.json': ['@koa/router', 'koa'],
  'packages/postgres/package.json': ['pg'],
  'packages/redis/package.json': ['ioredis', 'ioredis5', 'redis', 'redis5'],
  'internal/test-servers/package.json': ['selfsigned'],
};

const copied = [
  ...['core', 'store-kit', 'express', 'koa', 'hono', 'web', 'redis', 'postgres'].map(
    (name) => `packages/${name}/test`,
  ),
  // What the tests of the core and the store kit run.
  ...['core', 'store-kit', 'test-suite', 'node'].flatMap((name) =>
    ['src', 'package.json', 'tsconfig.json'].map((file) => `packages/${name}/${file}`),
  ),
  ...['tsconfig.base.json', 'tsconfig.package.json'],
  ...['internal/test-kit/src', 'internal/test-servers/src', 'scripts/unexpected-output.ts'],
];

/** Creates the project in this folder. */
export function createProject(folder, tarballs) {
  for (const path of copied) cpSync(path, join(folder, path), { recursive: true });
  for (const name of ['vitest.config.mjs', 'results.mjs'])
    cpSync(`scripts/runtimes/${name}`, join(folder, name));
  const manifest = { private: true, type: 'module', dependencies: versions() };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const args = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  const { status } = spawnSync('npm', [...args, ...tarballs], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm install: exit ${status}`);
}

function versions() {
  const all = Object.entries(dependencies).flatMap(([file, names]) => {
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    const known = { ...manifest.dependencies, ...manifest.devDependencies };
    return names.map((name) => [name, known[name]]);
  });
  return Object.fromEntries(all);
}
