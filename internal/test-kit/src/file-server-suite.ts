import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { counts, type FrameworkDriver, worldOfEachTest } from '@headgate/test-suite';
import type { Running, SuiteLimit } from '@headgate/test-suite/kit';
import { describe, expect, it } from 'vitest';

/** More than the buffers of a connection hold, so that clients also disconnect within the body. */
const LARGE_BYTES = 4 * 1024 * 1024;

/** Number of clients that disconnect, in groups that do so at the same time. */
const LEAVERS = 300;
const GROUP = 5;

/** Serves the files of a folder behind the limit. */
type FileServer<L extends SuiteLimit> = (
  limit: L,
  folder: string,
) => RequestListener | Promise<RequestListener>;

const departures = {
  'close their connection': 'destroy',
  'reset their connection': 'resetAndDestroy',
} as const;

/** Tests that clients which disconnect while they receive files leave no permit held. */
export function fileServerSuite<L extends SuiteLimit>(
  framework: FrameworkDriver<L>,
  servers: Readonly<Record<string, FileServer<L>>>,
): void {
  describe.each(Object.entries(servers))('clients that leave: %s', (_, build) => {
    const world = worldOfEachTest(framework);

    it.each(Object.entries(departures))('clients that %s take no permits', async (_, leave) => {
      const folder = await mkdtemp(join(tmpdir(), 'headgate-'));
      world.later(() => rm(folder, { recursive: true }));
      await writeFile(join(folder, 'small'), 'small');
      await writeFile(join(folder, 'large'), Buffer.alloc(LARGE_BYTES));
      const options = { limit: 4, queueLimit: 4 * GROUP, queueTimeout: 500 };
      const limit = world.watch(framework.limit(options));
      const listener = await build(limit, folder);
      const running = await world.serveThrough(() => listener);
      const small = () => running.call('/small').answer();
      // Until a file has been served, a client that disconnects occupies its permit for a second.
      expect(await small()).toMatchObject({ status: 200, body: 'small' });
      for (let left = 0; left < LEAVERS; left += GROUP) {
        const leavers = Array.from({ length: GROUP }, (_, index) =>
          requestLarge(running, leave, index % 2 === 0),
        );
        expect(await small()).toMatchObject({ status: 200, body: 'small' });
        await Promise.all(leavers);
      }
      const began = performance.now();
      await counts(limit, 0);
      expect(performance.now() - began).toBeLessThan(500);
    });
  });
}

/** Requests a large file, and disconnects at once or within the body of the response. */
async function requestLarge(
  running: Running,
  leave: 'destroy' | 'resetAndDestroy',
  isImmediate: boolean,
): Promise<void> {
  const { socket } = running.raw();
  await once(socket, 'connect');
  await new Promise((written) => socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n', written));
  if (!isImmediate) await once(socket, 'data');
  socket[leave]();
}
