import { storeSuite } from '@headgate/test-suite';
import { afterAll, beforeAll } from 'vitest';
import { DurableObjectStore } from '../src/durable-object-store.ts';
import { RunningObjects } from './running-objects.ts';

let objects: RunningObjects;

beforeAll(async () => {
  objects = await RunningObjects.start();
});
afterAll(() => objects.stop());

storeSuite({
  name: 'Durable Objects',
  can: { recall: false },
  // Calls of a busy machine may take more than a third of 600 ms.
  leaseDuration: 1200,
  connect: (times) => new DurableObjectStore({ namespace: objects, waitUntil: () => {} }, times),
  wipe: () => objects.wipe(),
  hang: () => objects.hang(),
});
