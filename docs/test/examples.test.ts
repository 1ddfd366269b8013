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
