// WebSockets next to HTTP: they connect while the limit is reached, and hold no permits.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { httpChecks, withHost } from './http-checks.mjs';
import { limitOfTwo } from './started-host.mjs';

/** More than the limit. */
const COUNT = 5;

export async function wsCheck({ project, backend }) {
  const command = ['node', 'ws.js'];
  const { WebSocket } = requireFrom(project, 'ws');
  await httpChecks({ command })({ project, backend });
  await withHost(project, backend, { command }, async (host) => {
    await socketsHoldNoPermits(host, backend, async () => {
      const socket = new WebSocket(host.url().replace('http', 'ws'));
      await once(socket, 'open');
      socket.send('echo');
      assert.equal(String((await once(socket, 'message'))[0]), 'echo');
      return socket;
    });
  });
}

export async function socketIoCheck({ project, backend }) {
  const command = ['node', 'socket-io.js'];
  const { io } = requireFrom(project, 'socket.io-client');
  await httpChecks({ command })({ project, backend });
  const connected = async (host, transports) => {
    const socket = io(host.url(), { forceNew: true, ...(transports && { transports }) });
    const message = new Promise((resolve) => socket.once('message', resolve));
    socket.send('echo');
    assert.equal(await message, 'echo');
    return socket;
  };
  await withHost(project, backend, { command }, async (host) => {
    await socketsHoldNoPermits(host, backend, () => connected(host, ['websocket']));
  });
  const HEADGATE = { ...limitOfTwo, skip: ['/socket.io/*'] };
  await withHost(project, backend, { command, HEADGATE }, async (host) => {
    await socketsHoldNoPermits(host, backend, () => connected(host));
    await socketsHoldNoPermits(host, backend, () => connected(host, ['polling']));
  });
}

async function socketsHoldNoPermits(host, backend, connect) {
  const slow = [fetch(host.url('/slow')), fetch(host.url('/slow'))];
  await backend.holds(2);
  const sockets = await Promise.all(Array.from({ length: COUNT }, connect));
  for (const res of await backend.releasing(Promise.all(slow))) assert.equal(res.status, 200);
  await host.has({ active: 0, queued: 0 });
  assert.equal((await fetch(host.url())).status, 200);
  for (const socket of sockets) socket.close();
}

const requireFrom = (project, name) => createRequire(join(project.cwd, 'package.json'))(name);
