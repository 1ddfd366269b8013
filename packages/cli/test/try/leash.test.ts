import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'vitest';
import { MARK, processesOf } from '../../src/try/process-tree.ts';
import { server, startTry } from './command.ts';

/** Starts an orphan in a process group of its own. Both ignore SIGTERM. */
const stubborn = `
  process.on('SIGTERM', () => {});
  const { spawn } = require('node:child_process');
  const orphan = "require('node:child_process').spawn(process.execPath, ['-e', 'process.on(\\"SIGTERM\\", () => {}); setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' }).unref()";
  spawn(process.execPath, ['-e', orphan], { stdio: 'ignore' });
`;

test.concurrent.for([
  ['SIGKILL', null],
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)(
  'after %s, nothing of the app is left',
  { timeout: 120_000 },
  async ([signal, code], { expect }) => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));

    const url = `http://127.0.0.1:${port}/`;
    const child = startTry(
      url,
      ...server(`setTimeout(() => res.end(process.env.${MARK}), 20)`, stubborn),
    );
    const ended = once(child, 'exit');
    let mark = '';
    await expect
      .poll(async () => (mark = await (await fetch(url)).text()), { timeout: 60_000 })
      .toMatch(/./);
    // The app, and the child that has left it.
    await expect.poll(() => processesOf({ mark }).length, { timeout: 60_000 }).toBe(2);
    child.kill(signal);
    expect((await ended)[0]).toBe(code);
    await expect.poll(() => processesOf({ mark }), { timeout: 60_000 }).toEqual([]);
  },
);
