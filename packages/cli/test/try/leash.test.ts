import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'vitest';
import { MARK, MARK_FD, processesOf } from '../../src/try/process-tree.ts';
import { server, startTry } from './command.ts';

/** Starts an orphan in a process group of its own. Both ignore SIGTERM. */
const stubborn = `
  process.on('SIGTERM', () => {});
  const { spawn } = require('node:child_process');
  const orphan = "require('node:child_process').spawn(process.execPath, ['-e', 'process.on(\\"SIGTERM\\", () => {}); setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' }).unref()";
  spawn(process.execPath, ['-e', orphan], { stdio: 'ignore' });
`;

/** What the app answers: its mark, from the environment or the open file. */
const mark = `process.env.${MARK} ?? /${MARK}=(\\S+)/.exec(require('node:fs').readlinkSync('/proc/self/fd/${MARK_FD}'))[1]`;

const cases: [signal: NodeJS.Signals, code: number | null, before: string, wrapper?: string[]][] = [
  ['SIGKILL', null, stubborn],
  ['SIGTERM', 143, stubborn],
  ['SIGINT', 130, stubborn],
];
// macOS has no such file, and no `setsid`.
if (process.platform === 'linux') cases.push(['SIGKILL', null, '', ['env', '-i', 'setsid']]);

test.concurrent.for(cases)(
  'after %s, nothing of the app is left',
  { timeout: 120_000 },
  async ([signal, code, before, wrapper = []], { expect }) => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));

    const url = `http://127.0.0.1:${port}/`;
    const [dashes = '', ...app] = server(
      `setTimeout(() => res.end(${mark}), 20)`,
      before,
      `${port}`,
    );
    const child = startTry(url, dashes, ...wrapper, ...app);
    const ended = once(child, 'exit');
    let found = '';
    await expect
      .poll(async () => (found = await (await fetch(url)).text()), { timeout: 60_000 })
      .toMatch(/./);
    const count = before === stubborn ? 2 : 1;
    const running = () => processesOf({ mark: found }).length;
    // The app, and the child that has left it.
    await expect.poll(running, { timeout: 60_000 }).toBe(count);
    child.kill(signal);
    expect((await ended)[0]).toBe(code);
    await expect.poll(running, { timeout: 60_000 }).toBe(0);
  },
);
