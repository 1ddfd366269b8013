import { createLimiter } from '@headgate/core';
import { describe, expect, it } from 'vitest';
import { frameworks, inExpress, startApp, tokenOf } from './apps.ts';
import { startOperated } from './operator.ts';

describe.each(frameworks)('operating in %s', (_name, start) => {
  it('gives its token to operators only, and requires it', async () => {
    const limiter = createLimiter({ limit: 1 });
    const { url, post, state } = await startOperated(start, [limiter]);
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
    const { post, url, json } = await startOperated(start, [limiter]);
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
    const { post, ids } = await startOperated(start, [limiter]);
    const set = (limit: unknown, minutes?: unknown) => ({ operation: 'setLimit', limit, minutes });
    const refused: [number, unknown][] = [
      [400, '{'],
      [400, '"pause"'],
      [400, 'null'],
      [400, '[]'],
      [404, { id: 0, operation: 'pause' }],
      [404, { id: `${ids[0]}`, operation: 'pause' }],
      [404, '{}'],
      [413, { operation: 'pause', padding: 'x'.repeat(5_000) }],
      [422, { operation: 'close' }],
      [422, { operation: 'adapt' }],
      [422, { operation: 'constructor' }],
      [422, {}],
      ...[0, -1, 1.5, 1e300, '3', 'adaptive', null, undefined, [3]].map(
        (value): [number, unknown] => [422, set(value)],
      ),
      ...[0, 1.5, 1_441, '5', null].map((value): [number, unknown] => [422, set(3, value)]),
    ];
    for (const [status, body] of refused) {
      const answer = await post(body);
      expect([body, answer.status]).toEqual([body, status]);
    }
    expect([limiter.limit, limiter.state]).toEqual([5, 'open']);
  });

  it('refuses a limit out of the bounds of the app, which may set it itself', async () => {
    const limiter = createLimiter({ name: 'reports', limit: 5 });
    const other = createLimiter({ name: 'other', limit: 5 });
    const bounds = { reports: { min: 2, max: 20 }, other: { min: 3 } };
    const { post, state, ids, url } = await startOperated(start, [limiter, other], { bounds });
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
    const { post } = await startOperated(start, limits);
    limits.shift();
    expect((await post({ operation: 'pause' })).status).toBe(404);
    expect([old?.state, other?.state]).toEqual(['open', 'open']);
  });

  it('answers 503 once it is closed', async () => {
    const limiter = createLimiter({ limit: 1 });
    const { post, handle } = await startOperated(start, [limiter]);
    handle.close();
    expect((await post({ operation: 'pause' })).status).toBe(503);
    expect(limiter.state).toBe('open');
  });
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
    const { post } = await startOperated(start, [], { limits });
    isBroken = true;
    expect(await post({ operation: 'pause' })).toMatchObject({ status: 500 });
    // The dashboard still samples the limits.
    isBroken = false;
    expect(await post({ operation: 'pause' })).toMatchObject({ status: 204 });
    expect(limiter.state).toBe('paused');
  });
});

it('the dashboard is read-only without authorize, also for a viewer with the token', async () => {
  const limiter = createLimiter({ limit: 1 });
  const { url } = await startApp(inExpress, { limits: [limiter], authorize: undefined });
  const token = await tokenOf(`${url}/admin/limits/`);
  const answer = await fetch(`${url}/admin/limits/operate?token=${token}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  });
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain("authorize function returns 'operate'");
});
