import { concurrencyLimit } from '@headgate/express';
import { counts, recordingLimit, worldOfEachTest } from '@headgate/test-suite';
import express, { type Express, type RequestHandler } from 'express';
import express4 from 'express4';
import { describe, expect, it } from 'vitest';
import { expressFramework } from './framework.ts';

const handle: RequestHandler = (_req, res) => void res.send('ok');

describe.each([
  ['Express 5', express],
  ['Express 4', express4 as unknown as typeof express],
])('the kinds of routes in %s', (name, version) => {
  const world = worldOfEachTest(expressFramework(name, version));

  /** The kinds of requests for these paths. */
  async function kindsOf(add: (app: Express) => unknown, paths: string[]) {
    const { samples, limit } = recordingLimit();
    const limited = world.watch(concurrencyLimit({ limit }));
    const app = version().use(limited);
    add(app);
    const running = await world.serveThrough(() => app);
    for (const path of paths) {
      expect(await running.call(path).answer()).toMatchObject({ status: 200 });
      await counts(limited, 0);
    }
    return samples.map(({ kind }) => kind);
  }

  it('differ for paths given as a RegExp', async () => {
    const add = (app: Express) => app.get(/^\/a/, handle).get(/^\/b/, handle);
    const [a1, a2, b] = await kindsOf(add, ['/a/1', '/a/2', '/b/1']);
    expect(a1).toContain('GET /^\\/a/');
    expect([a2, b === a1]).toEqual([a1, false]);
  });

  it('are the same for the paths of one route, given as an array', async () => {
    const add = (app: Express) => app.get(['/a', '/b'], handle).get(['/c', '/d'], handle);
    const [a, b, c, d] = await kindsOf(add, ['/a', '/b', '/c', '/d']);
    expect(a).toContain('GET /a,/b');
    expect([b, d, c === a]).toEqual([a, c, false]);
  });

  it('differ for equal routes of two mounted applications', async () => {
    const add = (app: Express) => {
      for (const path of ['/a', '/b']) app.use(path, version().get('/', handle));
    };
    const [a, b] = await kindsOf(add, ['/a', '/b']);
    expect([a, b]).toEqual([expect.stringContaining('GET / '), expect.stringContaining('GET / ')]);
    expect(a).not.toBe(b);
  });

  it('are undefined for requests that app.use handles', async () => {
    const add = (app: Express) => app.use('/:tenant/files', handle).use('/graphql', handle);
    const kinds = await kindsOf(add, ['/acme/files', '/globex/files', '/graphql']);
    expect(kinds).toEqual([undefined, undefined, undefined]);
  });
});
