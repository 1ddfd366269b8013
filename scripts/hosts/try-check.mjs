// npm run compat -- hosts --try: the unmodified host is measured by one command.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.mjs';
import { npmStart } from './started-host.mjs';

const headgate = fileURLToPath(new URL('../../packages/cli/bin/headgate.js', import.meta.url));

/** Fails if `headgate try` cannot start or measure the host. A page may be too cheap to overload, or the machine too busy. */
export function tryCheck({ command = npmStart, base = '', protocol = 'http' }) {
  return async ({ project, backend }) => {
    const url = `${protocol}://127.0.0.1:${await freePort()}${base}/`;
    const env = { ...project.env, HOST: '127.0.0.1', BACKEND_URL: backend.url };
    const args = [headgate, 'try', url, '--quick', '--json', '--', ...command];
    const child = spawn(process.execPath, args, { cwd: project.cwd, env });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    assert.ok([0, 2].includes(await ended), stderr);
    console.log(JSON.parse(stdout).sentence);
  };
}
