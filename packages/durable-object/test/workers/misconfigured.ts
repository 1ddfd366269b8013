import { env } from 'cloudflare:workers';
import { createLimiter } from '@headgate/core';
import { type DurableObjectStoreOptions, durableObjectStore } from '@headgate/durable-object';
import { concurrencyLimit } from '@headgate/hono';

export { LimitObject } from '@headgate/durable-object';

const { SELF, LIMITS } = env as unknown as Readonly<
  Record<'SELF' | 'LIMITS', DurableObjectStoreOptions['namespace']>
>;
const options = () => ({ name: 'a', limit: 1, store: durableObjectStore({ namespace: LIMITS }) });

const makers: Readonly<Record<string, () => unknown>> = {
  '/service': () => durableObjectStore({ namespace: SELF }),
  '/limiter': () => createLimiter(options()),
  '/middleware': () => concurrencyLimit({ ...options(), maxHold: 1000 }),
};

/** The errors at startup, by path. */
const errors = new Map(Object.entries(makers).map(([path, make]) => [path, errorOf(make)]));

export default {
  fetch: (request: Request) => Response.json(errors.get(new URL(request.url).pathname)),
};

function errorOf(make: () => unknown): object {
  try {
    make();
    return {};
  } catch (error) {
    const { code, option, message } = error as { code: string; option: string; message: string };
    return { code, option, message };
  }
}
