// Servers in several processes or threads: each of them has a limit of its own.
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { withHost } from './http-checks.mjs';

/** One request at a time in each process, and no queue. */
const HEADGATE = { name: 'app', limit: 1, queueLimit: 0 };

/** Two processes that share a port, of which one after the other gets a connection. */
export function twoProcessesCheck(options) {
  return async ({ project, backend }) => {
    await withHost(project, backend, { ...options, HEADGATE }, async (host) => {
      await host.until(
        async () => host.output.match(/headgate: limits/g)?.length === 2,
        () => 'not both processes have a limit',
      );
      // Each has a connection of its own: no agent.
      const statuses = [];
      const requests = Array.from({ length: 4 }, async () => {
        statuses.push(await statusOf(host.url('/slow')));
      });
      await backend.holds(2);
      await host.until(
        async () => statuses.length === 2,
        () => `two requests run, and the others have the statuses ${statuses}`,
      );
      backend.release();
      await Promise.all(requests);
      assert.deepEqual(statuses, [503, 503, 200, 200]);
    });
  };
}

function statusOf(url) {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (res) => {
      res.resume();
      resolve(res.statusCode);
    }).on('error', reject);
  });
}
