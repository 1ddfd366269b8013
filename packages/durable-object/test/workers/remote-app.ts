import { env } from 'cloudflare:workers';
import { durableObjectStore } from '@headgate/durable-object';
import { concurrencyLimit } from '@headgate/hono';
import { Hono } from 'hono';

const { OBJECTS } = env as unknown as {
  OBJECTS: { fetch(url: string, init: object): Promise<Response> };
};

/** Objects on another workerd, which this one can outlive. */
const namespace = {
  idFromName: (name: string) => name,
  get: (id: unknown) => ({
    fetch: (url: string, init: RequestInit) =>
      OBJECTS.fetch(url, { ...init, headers: { object: `${id}` } }),
  }),
};

const store = durableObjectStore({ namespace, leaseDuration: 1500 });
const limit = concurrencyLimit({ name: 'work', limit: 1, store, maxHold: 60_000 });

/** Holds its permit for longer than any test. */
export default new Hono().use(limit).get('/', async (c) => {
  await new Promise((resolve) => setTimeout(resolve, 60_000));
  return c.text('done');
});
