import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { temporaryFolder } from '@headgate/test-kit/temporary-folder';
import { expect, it, onTestFinished } from 'vitest';
import { read, root } from './pages.ts';

const folders = ['examples/express', 'examples/ai-gateway'];
const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
);
const servers = files.filter((file) => read(file).includes("from 'express'"));

it.each(servers)(
  '%s fails if it cannot listen: Express 5 calls the callback of listen() with the error',
  (file) => {
    expect(read(file)).toMatch(/\bapp\.listen\(port\)/);
  },
);

/** Folders that can be copied, and open in StackBlitz. */
const copied = ['core', 'express', 'fastify', 'hono', 'koa', 'nestjs', 'node', 'web', 'workers'];

it.each(copied)(
  'examples/%s installs what its programs import, in the versions that CI runs',
  (name) => {
    const { dependencies: tested } = JSON.parse(read('examples/package.json'));
    const { scripts, dependencies } = JSON.parse(read(`examples/${name}/package.json`));
    const programs = readdirSync(join(root, 'examples', name)).filter((file) =>
      file.endsWith('.ts'),
    );
    const imported = programs.flatMap((file) => [
      ...read(`examples/${name}/${file}`).matchAll(
        /^(?:import|export|}).* ?'((?:@[\w-]+\/)?[\w-]+)[^':]*';$/gm,
      ),
    ]);
    for (const [, from = ''] of imported) expect(Object.keys(dependencies)).toContain(from);
    const { tsx, ...others } = dependencies;
    for (const [dependency, version] of Object.entries(others)) {
      const own = dependency.startsWith('@headgate/');
      expect([dependency, version]).toEqual([dependency, own ? 'latest' : tested[dependency]]);
    }
    if (tsx !== undefined) {
      expect(tsx).toBe(JSON.parse(read('package.json')).devDependencies.tsx);
      expect(programs.map((file) => `tsx ${file}`)).toContain(scripts.start);
    }
  },
);

it('an example ends when the process that checks it has ended', async () => {
  const flags = ['--conditions=headgate-source', '--import=tsx'];
  const preload = `--import=${join(root, 'examples/checks/report-port.mjs')}`;
  const args = [...flags, preload, join(root, 'examples/express/default.ts')];
  const env = { ...process.env, PORT: '0' };
  const child = spawn(process.execPath, args, {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  child.disconnect();
  expect(await once(child, 'exit')).toEqual([1, null]);
});

it('examples/express/drain.ts drains even if the path of its socket has been removed', async () => {
  const socket = join(temporaryFolder(), 'app.sock');
  const flags = ['--conditions=headgate-source', '--import=tsx'];
  const args = [...flags, join(root, 'examples/express/drain.ts')];
  const env = { ...process.env, PORT: socket, REMOVAL: '0' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout as Readable, 'data'); // listening
  rmSync(socket);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
