import { admissionOf, concurrencyLimit } from '@headgate/node';
import { counts, worldOfEachTest } from '@headgate/test-suite';
import { recordingLimit } from '@headgate/test-suite/kit';
import { expect, it } from 'vitest';
import { nodeFramework } from './framework.ts';

const world = worldOfEachTest(nodeFramework);

it('requests to node:http have no kind of work unless the handler sets one', async () => {
  const { samples, limit } = recordingLimit();
  const limited = world.watch(concurrencyLimit({ limit }));
  const handler = limited((req, res) => {
    const { permit } = admissionOf(res);
    if (req.url === '/export' && permit !== undefined) permit.kind = 'export';
    res.end();
  });
  const app = await world.serveThrough(() => handler);
  for (const path of ['/a', '/b', '/export']) {
    await app.call(path).answer();
    await counts(limited, 0);
  }
  expect(samples.map(({ kind }) => kind)).toEqual([undefined, undefined, 'export']);
});
