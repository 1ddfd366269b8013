import { adaptive, createGate, createLimiter, type Limiter } from '@headgate/core';
import { Memory, memoryStore } from '@headgate/core/memory-store';
import express from 'express';
import { describe, expect, it } from 'vitest';
import type { Access, LimitSource } from '../src/options.ts';
import { type AppOptions, frameworks, startApp } from './apps.ts';

const path = '/admin/limits';

type Start = (typeof frameworks)[number][1];
const [, startExpress] = frameworks[0] as (typeof frameworks)[number];

/** An app whose operators send `X-User: ann`. */
async function scene(start: Start, limits: LimitSource[], more: Partial<AppOptions> = {}) {
  const app = await startApp(start, {
    limits: () => limits,
    ...more,
    authorize: (header): Access => (header('x-user') === 'ann' ? 'operate' : 'view'),
  });
  const url = `${app.url}${path}/operate`;
  const state = await (
    await fetch(`${app.url}${path}/state`, { headers: { 'X-User': 'ann' } })
  ).json();
  const json = {
    'X-User': 'ann',
    'X-Headgate-Token': state.token,
    'Content-Type': 'application/json',
  };
  const ids: number[] = state.limits.map(({ id }: { id: number }) => id);
  const post = async (body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...json, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify({ id: ids[0], ...(body as object) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  return { ...app, url, state, ids, post, json };
}

describe.each(frameworks)('operating in %s', (_name, start) => {
  it('sets, pauses, drains, resumes, freezes and unfreezes a limit, and switches its mode', async () => {
    const limiter = createLimiter({ name: 'reports', limit: adaptive({ initial: 7 }) });
    const { post } = await scene(start, [limiter]);
    const done = { status: 204, text: '' };
    expect(await post({ operation: 'pause' })).toEqual(done);
    expect(limiter.state).toBe('paused');
    expect(await post({ operation: 'drain' })).toEqual(done);
    expect(limiter.state).toBe('drained');
    expect(await post({ operation: 'resume' })).toEqual(done);
    expect(limiter.state).toBe('open');
    expect(await post({ operation: 'shadow' })).toEqual(done);
    expect(limiter.mode).toBe('shadow');
    expect(await post({ operation: 'enforce' })).toEqual(done);
    expect(limiter.mode).toBe('enforce');
    expect(await post({ operation: 'freeze' })).toEqual(done);
    expect(await post({ operation: 'setLimit', limit: 3 })).toEqual(done);
    expect([limiter.frozen, limiter.limit]).toEqual([true, 3]);
    expect(await post({ operation: 'unfreeze' })).toEqual(done);
    expect([limiter.frozen, limiter.limit]).toEqual([false, 7]);
  });

  it('switches the mode of the guard of a middleware without limits, which supports nothing else', async () => {
    const guard = { name: 'sentry', admits: () => false };
    const gate = createGate({ name: 'api', limits: [], guard });
    const { post, url, json } = await scene(start, [gate]);
    const row = async () => {
      const state = await (await fetch(url.replace('operate', 'state'), { headers: json })).json();
      return state.limits[0];
    };
    const operations = ['shadow', 'enforce'];
    expect(await row()).toMatchObject({ name: 'api', mode: 'enforce', operations });
    expect(await post({ operation: 'shadow' })).toEqual({ status: 204, text: '' });
    expect(gate.guard?.mode).toBe('shadow');
    expect(await gate.run(() => 'done')).toBe('done');
    for (const operation of ['pause', 'setLimit', 'freeze']) {
      const text = 'guard "sentry" supports shadow, enforce\n';
      expect(await post({ operation, limit: 3 })).toEqual({ status: 409, text });
    }
    expect(await post({ operation: 'enforce' })).toEqual({ status: 204, text: '' });
    expect(gate.guard?.mode).toBe('enforce');
    await gate.close();
    expect((await post({ operation: 'shadow' })).status).toBe(409);
  });

  it('gives its token to operators only, and requires it', async () => {
    const limiter = createLimiter({ limit: 1 });
    const { url, post, state } = await scene(start, [limiter]);
    const seen = await (await fetch(url.replace('operate', 'state'))).json();
    expect(seen).toMatchObject({ access: 'view' });
    expect(seen.token).toBeUndefined();
    expect(state).toMatchObject({ access: 'operate', token: expect.any(String) });
    for (const token of ['', 'wrong', `${state.token}x`, state.token.slice(1)]) {
      const answer = await post({ operation: 'pause' }, { 'X-Headgate-Token': token });
      expect(answer).toEqual({ status: 403, text: 'Reload the page, and try again\n' });
    }
    expect(limiter.state).toBe('open');
  });

  it('refuses viewers, other sites, and requests that a form could send', async () => {
    const limiter = createLimiter({ limit: 1 });
    const { post, url, json } = await scene(start, [limiter]);
    const refused: [number, Record<string, string>][] = [
      [403, { 'X-User': 'bob' }],
      [403, { 'Sec-Fetch-Site': 'cross-site' }],
      [403, { 'Sec-Fetch-Site': 'same-site' }],
      [403, { Origin: 'https://evil.example' }],
      [403, { Origin: 'null' }],
      [415, { 'Content-Type': 'text/plain' }],
      [415, { 'Content-Type': 'application/x-www-form-urlencoded' }],
      [415, { 'Content-Type': 'application/jsonx' }],
    ];
    for (const [status, headers] of refused) {
      const answer = await post({ operation: 'pause' }, headers);
      expect([headers, answer.status]).toEqual([headers, status]);
    }
    const read = await fetch(url, { headers: json });
    expect(read.status).toBe(404);
    expect(limiter.state).toBe('open');
  });

  it('refuses what is malformed or out of bounds, and changes nothing', async () => {
    const limiter = createLimiter({ limit: 5 });
    const { post, ids } = await scene(start, [limiter]);
    const set = (limit: unknown, minutes?: unknown) => ({ operation: 'setLimit', limit, minutes });
    const refused: [number, unknown][] = [
      [400, '{'],
      [400, '"pause"'],
      [400, 'null'],
      [400, '[]'],
      [404, { id: 0, operation: 'pause' }],
      [404, { id: `${ids[0]}`, operation: 'pause' }],
      [404, '{}'],
      [409, { operation: 'freeze' }],
      [413, { operation: 'pause', padding: 'x'.repeat(5_000) }],
      [422, { operation: 'close' }],
      [422, { operation: 'constructor' }],
      [422, {}],
      ...[0, -1, 1.5, 1e300, '3', null, undefined, [3]].map((value): [number, unknown] => [
        422,
        set(value),
      ]),
      ...[0, 1.5, 1_441, '5', null].map((value): [number, unknown] => [422, set(3, value)]),
    ];
    for (const [status, body] of refused) {
      const answer = await post(body);
      expect([body, answer.status]).toEqual([body, status]);
    }
    expect([limiter.limit, limiter.state, limiter.frozen]).toEqual([5, 'open', false]);
  });

  it('refuses a limit out of the bounds of the app, which may set it itself', async () => {
    const limiter = createLimiter({ name: 'reports', limit: 5 });
    const other = createLimiter({ name: 'other', limit: 5 });
    const bounds = { reports: { min: 2, max: 20 }, other: { min: 3 } };
    const { post, state, ids, url } = await scene(start, [limiter, other], { bounds });
    expect(state.bounds).toEqual({ reports: { min: 2, max: 20 }, other: { min: 3 } });
    const seen = await (await fetch(url.replace('operate', 'state'))).json();
    expect(seen.bounds).toBeUndefined();
    const set = (limit: unknown, id = ids[0]) => post({ operation: 'setLimit', limit, id });
    for (const limit of [1, 21, 1e15]) {
      const text = `limit must be a whole number from 2 to 20, got ${limit}\n`;
      expect(await set(limit)).toEqual({ status: 422, text });
    }
    expect((await set(2, ids[1])).text).toContain('a whole number of at least 3, got 2');
    expect((await set('9')).status).toBe(422);
    expect([limiter.limit, other.limit]).toEqual([5, 5]);
    limiter.setLimit(50);
    for (const limit of [20, 2]) {
      expect((await post({ operation: 'setLimit', limit, minutes: 5 })).status).toBe(204);
      expect(limiter.limit).toBe(limit);
    }
  });

  it('answers 404 for a limit that is gone, never operating on another', async () => {
    const limits = [createLimiter({ name: 'a', limit: 1 }), createLimiter({ name: 'a', limit: 1 })];
    const [old, other] = limits;
    const { post } = await scene(start, limits);
    limits.shift();
    expect((await post({ operation: 'pause' })).status).toBe(404);
    expect([old?.state, other?.state]).toEqual(['open', 'open']);
  });

  it('answers 503 once it is closed', async () => {
    const limiter = createLimiter({ limit: 1 });
    const { post, handle } = await scene(start, [limiter]);
    handle.close();
    expect((await post({ operation: 'pause' })).status).toBe(503);
    expect(limiter.state).toBe('open');
  });
});

it('reads a body that other middleware has parsed', async () => {
  const limiter = createLimiter({ limit: 1 });
  for (const parser of [express.json(), express.text({ type: '*/*' })]) {
    const { post } = await scene(startExpress, [limiter], { before: [parser] });
    limiter.resume();
    expect((await post({ operation: 'pause' })).status).toBe(204);
    expect(limiter.state).toBe('paused');
  }
});

it('operates a distributed limit for all processes', async () => {
  const memory = new Memory();
  const [limiter, other] = [1, 2].map(() =>
    createLimiter({
      ...{ name: 'search', limit: 4, store: memoryStore({ memory }) },
      observer: { conflict() {} },
    }),
  ) as [Limiter, Limiter];
  const { post, state } = await scene(startExpress, [limiter]);
  const operations = ['setLimit', 'pause', 'drain', 'resume', 'shadow', 'enforce'];
  expect(state.limits).toMatchObject([{ operations, store: { up: true } }]);
  for (const each of [limiter, other]) (await each.acquire()).release();
  for (const order of [{ operation: 'setLimit', limit: 9 }, { operation: 'drain' }]) {
    expect((await post(order)).status).toBe(204);
  }
  await expect(other.acquire()).rejects.toMatchObject({ rejection: { reason: 'closed' } });
  expect([limiter.limit, other.state]).toEqual([9, 'drained']);
  for (const operation of ['resume', 'shadow']) {
    expect((await post({ operation })).status).toBe(204);
  }
  (await other.acquire()).release();
  expect([other.state, other.mode]).toEqual(['open', 'shadow']);
  for (const each of [limiter, other]) await each.close();
});

it('answers 409 if the store of a limit cannot change it', async () => {
  const can = { ...memoryStore().can, setLimit: false, operate: false };
  const store = Object.assign(memoryStore(), { can });
  const limiter = createLimiter({ name: 'search', limit: 4, store });
  const { post, state } = await scene(startExpress, [limiter]);
  expect(state.limits).toMatchObject([{ operations: [] }]);
  const refused = await post({ operation: 'setLimit', limit: 9 });
  const text = expect.stringContaining('its limit is configured in the store itself');
  expect(refused).toMatchObject({ status: 409, text });
  expect(await post({ operation: 'pause' })).toMatchObject({ status: 409, text });
  await limiter.close();
});

describe.each(frameworks)('in %s', (_name, start) => {
  it.each([
    ['undefined', undefined],
    ['a symbol', Symbol('no limits')],
  ])('an operator gets 500 if the function for the limits throws %s', async (_thrown, thrown) => {
    const limiter = createLimiter({ limit: 1 });
    let isBroken = false;
    const limits = () => {
      if (isBroken) throw thrown;
      return [limiter];
    };
    const { post } = await scene(start, [], { limits });
    isBroken = true;
    expect(await post({ operation: 'pause' })).toMatchObject({ status: 500 });
    // The dashboard still samples the limits.
    isBroken = false;
    expect(await post({ operation: 'pause' })).toMatchObject({ status: 204 });
    expect(limiter.state).toBe('paused');
  });
});

it('is read-only without authorize, also from the machine itself', async () => {
  const limiter = createLimiter({ limit: 1 });
  const { url } = await startApp(startExpress, { limits: [limiter] });
  const answer = await fetch(`${url}${path}/operate`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  });
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain("authorize function returns 'operate'");
});
