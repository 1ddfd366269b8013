import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { run } from '../src/command.ts';
import { doctor } from '../src/doctor/doctor.ts';
import { fits } from '../src/doctor/installed.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const packages = join(repository, 'packages');
const express = join(packages, 'express');
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headgate-doctor-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function write(path: string, content: string | object): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
}

/** Installs a package of this repository as pnpm does: as a link, with its own dependencies. */
async function link(name: string, from = join(packages, name.replace('@headgate/', ''))) {
  const path = join(folder, 'node_modules', name);
  await mkdir(dirname(path), { recursive: true });
  await symlink(from, path);
}

/** An app with `@headgate/express` and these files. */
async function app(server: string, others: Record<string, string | object> = {}) {
  await write('package.json', { dependencies: { '@headgate/express': '^0.1.0', express: '5' } });
  await write('src/server.js', server);
  for (const [path, content] of Object.entries(others)) await write(path, content);
  await link('@headgate/express');
}

it('finds nothing in an app that is set up well', async () => {
  await app(
    "app.set('trust proxy', 1); concurrencyLimit({ key: (req) => ipKey(req.ip), limit: 2 })",
  );
  const { text, code } = doctor([folder], 'v22.12.0');
  expect(text).toMatch(
    /@headgate\/express \d+\.\d+\.\d+.*; Node v22\.12\.0\n\nNo mistakes, as far as/,
  );
  expect(code).toBe(0);
});

it('finds nothing wrong in the examples of this repository', () => {
  const { text, code } = doctor([join(repository, 'examples')]);
  expect([text.match(/✗.*/g), code]).toEqual([null, 0]);
});

it('finds a version of Node that is too old', async () => {
  await app('');
  const { text, code } = doctor([folder], 'v18.20.0');
  expect(text).toMatch(
    /✗ Node v18\.20\.0 is too old: @headgate\/\S+ needs >=20\.19\.\n.*support\.md#versions/,
  );
  expect(code).toBe(1);
});

it('finds a second copy of the core, also in a dependency of the app', async () => {
  await app('');
  const own = { name: 'own', version: '1.0.0', dependencies: { '@headgate/core': '0.0.9' } };
  await write('node_modules/own/package.json', own);
  const old = { name: '@headgate/core', version: '0.0.9' };
  await write('node_modules/own/node_modules/@headgate/core/package.json', old);
  await write('package.json', { dependencies: { '@headgate/express': '0.1.0', own: '1' } });
  const { text, code } = doctor([folder]);
  expect(text).toMatch(/✗ @headgate\/core is installed 2 times/);
  expect(text).toContain(
    `0.0.9 in ${join(folder, 'node_modules/own/node_modules/@headgate/core')}`,
  );
  expect(text).toContain('errors.md#headgate_two_copies');
  expect(code).toBe(1);
});

it('finds packages of Headgate with different versions', async () => {
  await app('');
  await write('package.json', {
    dependencies: { '@headgate/express': '1', '@headgate/redis': '1' },
  });
  await write('node_modules/@headgate/redis/package.json', { version: '0.0.9' });
  expect(doctor([folder]).text).toContain('✗ The packages have different versions.');
});

it('finds a framework that is not supported', async () => {
  await app('');
  // A copy, so that the Express of the app is found rather than that of the repository.
  await rm(join(folder, 'node_modules/@headgate/express'));
  const manifest = 'package.json';
  await cp(join(express, manifest), join(folder, 'node_modules/@headgate/express', manifest));
  await link('@headgate/core');
  await write('node_modules/express/package.json', { version: '3.21.2' });
  expect(doctor([folder]).text).toMatch(
    /✗ @headgate\/express supports express \^4\.18\.0 \|\| \^5\.0\.0, and 3\.21\.2 is installed\./,
  );
});

it.each([
  ['ipKey', 'key: (req) => ipKey(req.ip)'],
  ['req.ip', 'key: (req) => req.ip'],
])('asks about a proxy if a key is an address: %s', async (_, key) => {
  await app(`concurrencyLimit({ ${key}, limit: 2 })`);
  const { text, code } = doctor([folder]);
  expect(text).toMatch(/\? A limit has the address .* Is there a proxy or a balancer in front\?/);
  expect(code).toBe(0);
});

it.each([
  ['node:cluster', { 'src/main.mjs': "import cluster from 'node:cluster';" }],
  ['PM2', { 'ecosystem.config.cjs': "module.exports = { apps: [{ exec_mode: 'cluster' }] }" }],
])(
  'asks about the limit of each process if there are several, unless a store is installed: %s',
  async (_, files) => {
    await app('', files);
    expect(doctor([folder]).text).toMatch(/\? The app runs in several processes/);
    await write('package.json', {
      dependencies: { '@headgate/redis': '1', '@headgate/express': '1' },
    });
    await link('@headgate/redis');
    expect(doctor([folder]).text).not.toContain('several processes');
  },
);

it('ignores the sources of packages, and build output', async () => {
  const cluster = "require('cluster')";
  await app('', {
    'node_modules/x/index.js': cluster,
    'dist/main.js': cluster,
    'notes.md': cluster,
  });
  expect(doctor([folder]).text).not.toContain('several processes');
});

it('ignores folders and files that it may not read, and manifests that are null', async () => {
  await app('', { 'data/secret.js': '', 'src/key.js': '', 'node_modules/y/package.json': 'null' });
  await write('package.json', { dependencies: { '@headgate/express': '^0.1.0', y: '1' } });
  await chmod(join(folder, 'data'), 0);
  await chmod(join(folder, 'src/key.js'), 0);
  try {
    expect(doctor([folder]).code).toBe(0);
  } finally {
    await chmod(join(folder, 'data'), 0o700);
  }
});

it.each([
  ['has no package.json', async () => {}],
  ['has no package.json, or one that is no JSON', () => write('package.json', '{')],
  ['has no package.json, or one that is no JSON', () => write('package.json', 'null')],
  ['has no package of Headgate installed', () => write('package.json', {})],
])('is refused for a folder that %s', async (message, prepare) => {
  await prepare();
  let stderr = '';
  const output = { stdout: process.stdout, stderr: { write: (text: string) => (stderr += text) } };
  expect(await run(['doctor', folder], output)).toBe(1);
  expect(stderr).toContain(message);
});

it('compares versions with the ranges of manifests', () => {
  const cases: [string, string, boolean][] = [
    ['5.1.0', '^4.18.0 || ^5.0.0', true],
    ['4.17.3', '^4.18.0 || ^5.0.0', false],
    ['v20.19.0', '>=20.19', true],
    ['20.9.0', '>=20.19', false],
    ['21.0.0', '>=20.19', true],
    ['8.11.0', '^8.11.0', true],
    ['3.0.0', 'a form that is not known', true],
  ];
  for (const [version, range, expected] of cases)
    expect([version, range, fits(version, range)]).toEqual([version, range, expected]);
});
