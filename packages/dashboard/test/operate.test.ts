import { adaptive, createGate, createLimiter, type Limiter } from '@headgate/core';
import { Memory, memoryStore } from '@headgate/store-kit/memory-store';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { frameworks, inExpress } from './apps.ts';
import { startOperated } from './operator.ts';

describe.each(frameworks)('operating in %s', (_name, start) => {
  it('sets, pauses and resumes a limit, makes it reject all requests, lets it adapt, and switches its mode', async () => {
    const limiter = createLimiter({ name: 'reports', limit: adaptive({ initial: 7 }) });
    const { post } = await startOperated(start, [limiter]);
    const done = { status: 204, text: '' };
    expect(await post({ operation: 'pause' })).toEqual(done);
    expect(limiter.state).toBe('paused');
    expect(await post({ operation: 'rejectAll' })).toEqual(done);
    expect(limiter.state).toBe('rejecting');
    expect(await post({ operation: 'resume' })).toEqual(done);
    expect(limiter.state).toBe('open');
    expect(await post({ operation: 'shadow' })).toEqual(done);
    expect(limiter.mode).toBe('shadow');
    expect(await post({ operation: 'enforce' })).toEqual(done);
    expect(limiter.mode).toBe('enforce');
    expect(await post({ operation: 'setLimit', limit: 3 })).toEqual(done);
    expect([limiter.isFixed, limiter.limit]).toEqual([true, 3]);
    expect(await post({ operation: 'setLimit', limit: 'adaptive' })).toEqual(done);
    expect([limiter.isFixed, limiter.limit]).toEqual([false, 7]);
  });

  it('switches the mode of the guard of a middleware without limits, which supports nothing else', async () => {
    const guard = { name: 'sentry', admits: () => false };
    const gate = createGate({ name: 'api', limits: [], guard });
    const { post, url, json } = await startOperated(start, [gate]);
    const row = async () => {
      const state = await (await fetch(url.replace('operate', 'state'), { headers: json })).json();
      return state.limits[0];
    };
    const operations = ['shadow', 'enforce'];
    expect(await row()).toMatchObject({ name: 'api', mode: 'enforce', operations });
    expect(await post({ operation: 'shadow' })).toEqual({ status: 204, text: '' });
    expect(gate.guard?.mode).toBe('shadow');
    expect(await gate.run(() => 'done')).toBe('done');
    for (const operation of ['pause', 'setLimit']) {
      const text = 'guard "sentry" supports shadow, enforce\n';
      expect(await post({ operation, limit: 3 })).toEqual({ status: 409, text });
    }
    expect(await post({ operation: 'enforce' })).toEqual({ status: 204, text: '' });
    expect(gate.guard?.mode).toBe('enforce');
    await gate.close();
    expect((await post({ operation: 'shadow' })).status).toBe(409);
  });
});

it('the dashboard reads a body that other middleware has parsed', async () => {
  const limiter = createLimiter({ limit: 1 });
  for (const parser of [express.json(), express.text({ type: '*/*' })]) {
    const { post } = await startOperated(inExpress, [limiter], { before: [parser] });
    limiter.resume();
    expect((await post({ operation: 'pause' })).status).toBe(204);
    expect(limiter.state).toBe('paused');
  }
});

it('the dashboard shows a pause with an end, and resume ends it', async () => {
  const limiter = createLimiter({ name: 'upstream', limit: 1 });
  const { post, url, json } = await startOperated(inExpress, [limiter]);
  limiter.pauseFor(100_000);
  const pausedFor = async () => {
    const state = await (await fetch(url.replace('operate', 'state'), { headers: json })).json();
    return state.limits[0].pausedFor;
  };
  await expect.poll(pausedFor, { timeout: 10_000 }).toBeGreaterThan(60_000);
  expect((await post({ operation: 'resume' })).status).toBe(204);
  expect(limiter.stats().pausedFor).toBeUndefined();
  await expect.poll(pausedFor, { timeout: 10_000 }).toBeUndefined();
});

it('the dashboard operates a distributed limit for all processes', async () => {
  const memory = new Memory();
  const [limiter, other] = [1, 2].map(() =>
    createLimiter({ name: 'search', limit: 4, store: memoryStore({ memory }) }),
  ) as [Limiter, Limiter];
  for (const each of [limiter, other]) each.observe({ conflict() {} });
  const { post, state } = await startOperated(inExpress, [limiter]);
  const operations = ['setLimit', 'pause', 'rejectAll', 'resume', 'shadow', 'enforce'];
  expect(state.limits).toMatchObject([{ operations, store: { up: true } }]);
  for (const each of [limiter, other]) (await each.acquire()).release();
  for (const order of [{ operation: 'setLimit', limit: 9 }, { operation: 'rejectAll' }]) {
    expect((await post(order)).status).toBe(204);
  }
  await expect(other.acquire()).rejects.toMatchObject({ rejection: { reason: 'closed' } });
  expect([limiter.limit, other.state]).toEqual([9, 'rejecting']);
  for (const operation of ['resume', 'shadow']) {
    expect((await post({ operation })).status).toBe(204);
  }
  (await other.acquire()).release();
  expect([other.state, other.mode]).toEqual(['open', 'shadow']);
  for (const each of [limiter, other]) await each.close();
});
