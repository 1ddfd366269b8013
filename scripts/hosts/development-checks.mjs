// Development servers: a changed file reaches the page, and the browser is notified through a WebSocket.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'undici';
import { withHost } from './http-checks.mjs';
import { limitOfTwo } from './started-host.mjs';

/** A page loads more modules at once than the queue of the other checks has places. */
const HEADGATE = { ...limitOfTwo, queueLimit: 50 };

/**
 * @param source The file that has the text of the page.
 * @param connect Connects as the browser does. Resolves with the WebSocket.
 * @param notification What a message of it contains after a change.
 */
export function developmentCheck({ source, connect, notification }) {
  return async ({ project, backend }) => {
    const options = { command: ['npm', 'run', '--silent', 'dev'], HEADGATE };
    const file = join(project.cwd, source);
    const before = readFileSync(file, 'utf8');
    await withHost(project, backend, options, async (host) => {
      await pageHas(host, 'Hello from the page');
      await requestsAreLimited(host, backend);
      const socket = await connect(host);
      const messages = [];
      socket.addEventListener('message', ({ data }) => messages.push(String(data)));
      writeFileSync(file, before.replace('Hello from the page', 'Hello from the changed page'));
      await pageHas(host, 'Hello from the changed page');
      await host.until(
        async () => messages.some((message) => notification.test(message)),
        () => `the browser was not notified: ${messages}`,
      );
      socket.close();
      await host.has({ active: 0, queued: 0 });
    });
    writeFileSync(file, before);
  };
}

async function pageHas(host, text) {
  await host.until(
    async () => (await (await fetch(host.url())).text()).includes(text),
    () => `the page does not have the text: ${text}`,
  );
}

async function requestsAreLimited(host, backend) {
  const responses = Array.from({ length: 3 }, () => fetch(host.url('/slow')));
  await backend.holds(2);
  await host.has({ active: 2, queued: 1 });
  for (const res of await backend.releasing(Promise.all(responses))) assert.equal(res.status, 200);
}

/** Resolves once the server has greeted. */
async function connected(...args) {
  const socket = new WebSocket(...args);
  await once(socket, 'message');
  return socket;
}

export const next = {
  source: 'app/page.jsx',
  notification: /serverComponentChanges|"type":"built"/,
  connect: (host) => connected(host.url('/_next/hmr').replace('http', 'ws')),
};

export const vite = {
  source: 'src/routes/+page.svelte',
  notification: /"type":"(?:update|full-reload)"/,
  async connect(host) {
    const client = await (await fetch(host.url('/@vite/client'))).text();
    const [, token] = /wsToken = "([^"]+)"/.exec(client) ?? [];
    // Vite notifies of the modules that a browser has loaded.
    await (await fetch(host.url(`/${vite.source}`))).text();
    return connected(host.url(`/?token=${token}`).replace('http', 'ws'), 'vite-hmr');
  },
};
