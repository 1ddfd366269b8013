import { pathToFileURL } from 'node:url';
import { bundle } from '@headgate/test-servers';
import { expect, it } from 'vitest';
import { libraries } from './shutdown-app.ts';
import { StartedApp } from './started-app.ts';

const shutdownApp = pathToFileURL(await bundle(new URL('./shutdown-app.ts', import.meta.url)));

const HEADGATE = JSON.stringify({ limit: 1, queueLimit: 2, skip: ['/shutdown'] });

it.each(Object.keys(libraries))(
  'queued requests are served during a graceful shutdown: %s',
  async (library) => {
    const app = `
      import { libraries, serve } from ${JSON.stringify(shutdownApp)};
      serve(libraries[${JSON.stringify(library)}]);
    `;
    const started = new StartedApp({ app, HEADGATE });
    const sent = async (path: string, signal: AbortSignal | null = null) => {
      const response = fetch(await started.url(path), { signal });
      expect(await started.line()).toBe(path);
      return { response };
    };
    const held = await sent('/held');
    const queued = await sent('/queued');
    const leaving = new AbortController();
    const aborted = await sent('/aborted', leaving.signal);
    const rejected = await sent('/rejected');
    expect((await rejected.response).status).toBe(503);
    expect(await started.line()).toBe('closed /rejected');
    leaving.abort();
    await expect(aborted.response).rejects.toThrow('aborted');
    expect(await started.line()).toBe('closed /aborted');
    await sent('/shutdown');
    const served = await Promise.all([held.response, queued.response]);
    for (const response of served) expect(await response.text()).toBe('done');
    expect(await started.exit).toBe(0);
  },
);
