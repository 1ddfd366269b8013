import { adaptive } from '@headgate/core';
import { collectGarbage } from '@headgate/test-kit/collect-garbage';
import { counts } from '@headgate/test-suite';
import { aRound } from '@headgate/test-suite/kit';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { appsWithoutNode } from './without-node.ts';

const appOf = appsWithoutNode();

/** A stream that never ends. */
function endless(): ReadableStream<string> {
  return new ReadableStream({ pull: (controller) => controller.enqueue('more ') });
}

it.each([1, 2])(
  'serves more requests than the limit of %i even if no body is read',
  async (limit) => {
    const { app } = appOf((c) => c.text('ok'), { limit });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await app.request('/')).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
  },
);

it.each([
  ['a fixed limit', { limit: 1 }],
  ['an adaptive limit', { limit: adaptive() }],
])(
  'releases the permit of an unread stream once it is garbage-collected: %s',
  async (_, options) => {
    const { app, limit } = appOf((c) => c.body(endless()), options);
    const request = async () => {
      const response = await app.request('/');
      await aRound();
      expect(limit.holders).toBe(1);
      // Until here, the response is reachable, so that an earlier garbage collection releases nothing.
      return response.status;
    };
    expect(await request()).toBe(200);
    for (let i = 0; i < 20 && limit.holders > 0; i++) {
      collectGarbage();
      await aRound();
    }
    expect(limit.holders).toBe(0);
  },
);

it('passes on the whole body even though it reads ahead', async () => {
  const chunks = ['one ', 'two ', 'three'];
  const body = () =>
    new ReadableStream({
      pull(controller) {
        const next = chunks.shift();
        if (next === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(next));
      },
    });
  const { app, limit } = appOf((c) => c.body(body()));
  const response = await app.request('/');
  await counts(limit, 1);
  expect(await response.text()).toBe('one two three');
});

it.each([
  ['text', (): string => 'ok'],
  ['a stream', endless],
])('releases the permit when outer middleware throws after next(): %s', async (_, body) => {
  const { app, limit } = appOf((c) => c.body(body() as string));
  const outer = new Hono().use(async (_c, next) => {
    await next();
    throw new Error('after');
  });
  outer.onError((error, c) => c.text(error.message, 500));
  outer.route('/', app);
  for (const _ of [1, 2, 3]) {
    const response = await outer.request('/');
    expect([response.status, await response.text()]).toEqual([500, 'after']);
    await counts(limit, 0);
  }
});

it('releases the permit when outer middleware replaces the response', async () => {
  const { app, limit } = appOf((c) => c.body(endless() as ReadableStream));
  const outer = new Hono().use(async (c, next) => {
    await next();
    c.res = new Response('other');
  });
  outer.route('/', app);
  expect(await (await outer.request('/')).text()).toBe('other');
  await counts(limit, 0);
});

it.each([undefined, new Response('other')])(
  'outer middleware may first assign undefined, which keeps earlier headers out: %s',
  async (other) => {
    const { app, limit } = appOf((c) => {
      c.header('x-earlier', 'yes');
      return c.body(endless() as ReadableStream);
    });
    const outer = new Hono().use(async (c, next) => {
      await next();
      const own = c.res;
      own.headers.delete('x-earlier');
      c.res = undefined;
      c.res = other ?? own;
    });
    outer.route('/', app);
    const response = await outer.request('/');
    await aRound();
    expect(response.headers.get('x-earlier')).toBeNull();
    expect(limit.holders).toBe(other === undefined ? 1 : 0);
    await response.body?.cancel();
    await counts(limit, 0);
  },
);

it('holds the permit when outer middleware passes the body on', async () => {
  const { app, limit } = appOf((c) => c.body(endless() as ReadableStream));
  const outer = new Hono().use(async (c, next) => {
    await next();
    c.res = new Response(c.res.body, c.res);
    c.res = new Response(c.res.body?.pipeThrough(new TransformStream()) ?? null, c.res);
  });
  outer.route('/', app);
  const response = await outer.request('/');
  await aRound();
  expect(limit.holders).toBe(1);
  await response.body?.cancel();
  await counts(limit, 0);
});
