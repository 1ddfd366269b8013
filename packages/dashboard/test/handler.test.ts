import { once } from 'node:events';
import { connect } from 'node:net';
import { createGate, createLimiter } from '@headgate/core';
import { concurrencyLimit } from '@headgate/express';
import { collectWarnings } from '@headgate/test-suite';
import { request as send } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EventClient, frameworks, startApp } from './apps.ts';

const path = '/admin/limits';

describe.each(frameworks)('the dashboard in %s', (_name, start) => {
  it('serves the page and each of its files', async () => {
    const limits = [createLimiter({ limit: 1 })];
    // undici closes the connection after a HEAD.
    const { url } = await startApp(start, { limits, authorize: () => 'view' });
    const page = await fetch(`${url}${path}/`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const links = [...(await page.text()).matchAll(/(?:href|src)="([^"]+)"/g)].map(([, to]) => to);
    expect(links).toContain('page.js');
    for (const link of links) {
      const answer = await fetch(new URL(`${link}`, page.url));
      expect([link, answer.status]).toEqual([link, 200]);
      const head = await fetch(new URL(`${link}`, page.url), { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
    }
  });

  it('redirects to the path with a slash, keeping what a proxy has removed', async () => {
    const { url } = await startApp(start, { limits: [] });
    const answer = await fetch(`${url}${path}`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, './limits/']);
    expect((await fetch(`${url}${path}`)).url).toBe(`${url}${path}/`);
  });

  it('answers 404 below its path, and leaves other paths to the app', async () => {
    const { url } = await startApp(start, { limits: [] });
    for (const file of [
      '/unknown',
      '/page.html/x',
      '/../../package.json',
      '/%2e%2e%2fpackage.json',
    ]) {
      const answer = await fetch(`${url}${path}${file}`);
      expect(answer.url.startsWith(url + path) ? answer.status : 404, file).toBe(404);
    }
    expect(await (await fetch(`${url}/after`)).text()).toBe('after');
  });

  it('answers 405 to methods other than GET and HEAD', async () => {
    const { url } = await startApp(start, { limits: [] });
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const answer = await fetch(`${url}${path}/state`, { method });
      expect([answer.status, answer.headers.get('allow')?.includes('GET')]).toEqual([405, true]);
    }
  });

  it('reports the limits, and then one sample per second', async () => {
    const limiter = createLimiter({ name: 'reports', limit: 3, queueLimit: 5 });
    const permits = await Promise.all([limiter.acquire(), limiter.acquire({ weight: 2 })]);
    const waiting = limiter.acquire();
    const { url } = await startApp(start, { limits: [limiter] });
    const events = await EventClient.open(`${url}${path}/events`);
    expect(events.response.headers.get('content-type')).toBe('text/event-stream');
    expect(events.response.headers.get('cache-control')).toContain('no-transform');
    const first = await events.next();
    expect(first).toMatchObject({ access: 'view', pid: process.pid });
    expect(first.limits).toMatchObject([{ name: 'reports', limit: 3, inflight: 3, queued: 1 }]);
    const [{ id }] = first.limits;
    expect(first.history[id]).toEqual([[first.now, 3, 1, 3, 0]]);
    for (const permit of permits) permit.release();
    (await waiting).release();
    const second = await events.next();
    expect(second.limits).toMatchObject([{ id, inflight: 0, queued: 0 }]);
    expect(second.now - first.now).toBeGreaterThan(500);
    expect(Object.keys(second)).toEqual(['now', 'limits', 'reversions']);
    await events.close();
    const polled = await (await fetch(`${url}${path}/state?after=${first.now}`)).json();
    expect(polled.history[id]).toHaveLength(1);
    const all = await (await fetch(`${url}${path}/state`)).json();
    expect(all.history[id]).toHaveLength(2);
  });

  it('asks authorize about each request', async () => {
    const { url } = await startApp(start, {
      limits: [],
      authorize: async (header) => (header('x-user') === 'ann' ? 'view' : false),
    });
    for (const file of ['', '/', '/page.js', '/state', '/events', '/unknown']) {
      const answer = await fetch(`${url}${path}${file}`, { redirect: 'manual' });
      expect([file, answer.status]).toEqual([file, 403]);
      expect(await answer.text()).toBe('Forbidden\n');
    }
    const answer = await fetch(`${url}${path}/`, { headers: { 'X-User': 'ann' } });
    expect(answer.status).toBe(200);
  });

  it('answers 500 through the error handling of the framework if authorize fails', async () => {
    const failures: Record<string, () => never> = {
      throw: () => {
        throw new Error('secret of authorize');
      },
      reject: (() => Promise.reject(new Error('secret of authorize'))) as () => never,
      'throw undefined': () => {
        throw undefined;
      },
      'reject with null': (() => Promise.reject(null)) as () => never,
      nothing: (() => undefined) as () => never,
      true: (() => true) as () => never,
      admin: (() => 'admin') as () => never,
    };
    const { url, errors } = await startApp(start, {
      limits: [],
      authorize: (header) => failures[header('x-kind') ?? '']?.() ?? (undefined as never),
    });
    for (const kind of Object.keys(failures)) {
      const answer = await fetch(`${url}${path}/state`, { headers: { 'X-Kind': kind } });
      expect([kind, answer.status]).toEqual([kind, 500]);
      expect(await answer.text()).not.toContain('secret');
    }
    expect(errors).toHaveLength(7);
    expect(errors.every((error) => error instanceof Error)).toBe(true);
    expect(errors.slice(4)).toMatchObject(Array(3).fill({ code: 'ERR_HEADGATE_OPTION' }));
    expect(`${errors[4]}`).toContain("authorize must be a function that returns 'view'");
  });

  it.each([
    ['forwarded', 'for=192.0.2.60'],
    ['x-forwarded-for', '192.0.2.60'],
    ['x-real-ip', '192.0.2.60'],
    ['via', '1.1 proxy'],
    ['host', 'evil.example'],
    ['host', 'localhost.evil.example'],
  ])(
    'without authorize, refuses a request with %s: %s and says what to configure',
    async (name, value) => {
      const warnings = collectWarnings('HEADGATE_DASHBOARD_REFUSED');
      const { url } = await startApp(start, { limits: [] });
      expect((await request(`${url}${path}/`, {})).statusCode).toBe(200);
      expect(warnings).toEqual([]);
      for (let refusal = 0; refusal < 2; refusal++) {
        const { statusCode, text } = await request(`${url}${path}/`, { [name]: value });
        expect(statusCode).toBe(403);
        expect(text).toContain("authorize: (request) => 'view'");
      }
      // One warning, without anything that a client has sent.
      expect(warnings).toEqual([expect.stringMatching(/authorize.*HEADGATE_DASHBOARD_REFUSED/)]);
      expect(warnings[0]).not.toContain(value);
    },
  );

  it.each([
    ['nginx before 1.29.7', '1.0', 'Connection: close\r\n'],
    ['nginx with proxy_http_version 1.1', '1.1', 'Connection: close\r\n'],
    ['nginx from 1.29.7 on, and HAProxy', '1.1', ''],
  ])(
    'without authorize, refuses a request as %s sends it by default',
    async (_proxy, version, connection) => {
      const warnings = collectWarnings('HEADGATE_DASHBOARD_REFUSED');
      const { url } = await startApp(start, { limits: [] });
      const { port } = new URL(url);
      const ask = async (line: string, fields: string) => {
        const socket = connect(Number(port), '127.0.0.1');
        socket.write(`GET ${path}/ HTTP/${line}\r\nHost: 127.0.0.1:${port}\r\n${fields}\r\n`);
        const [answer] = await once(socket, 'data');
        socket.destroy();
        return `${answer}`;
      };
      expect(await ask('1.1', 'Connection: keep-alive\r\n')).toMatch(/^HTTP\/1.1 200 /);
      expect(warnings).toHaveLength(0);
      expect(await ask(version, connection)).toMatch(/^HTTP\/1.1 403 /);
      expect(warnings).toHaveLength(1);
    },
  );

  it('without authorize, refuses a page whose name another site has resolved to this machine', async () => {
    collectWarnings('HEADGATE_DASHBOARD_REFUSED');
    const { url } = await startApp(start, { limits: [] });
    const { port } = new URL(url);
    const seen = { Host: `evil.example:${port}`, Origin: `http://evil.example:${port}` };
    for (const file of ['', 'state', 'events', 'page.js']) {
      const site = { ...seen, 'Sec-Fetch-Site': 'same-origin' };
      expect((await request(`${url}${path}/${file}`, site)).statusCode).toBe(403);
    }
  });

  it('refuses data to other sites', async () => {
    const { url } = await startApp(start, { limits: [] });
    const from = async (headers: Record<string, string>) =>
      (await request(`${url}${path}/state`, headers)).statusCode;
    expect(await from({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403);
    expect(await from({ 'Sec-Fetch-Site': 'same-site' })).toBe(403);
    expect(await from({ Origin: 'http://evil.example' })).toBe(403);
    expect(await from({ Origin: 'null' })).toBe(403);
    expect(await from({ Origin: url })).toBe(200);
    expect(await from({ 'Sec-Fetch-Site': 'same-origin' })).toBe(200);
    expect(await from({ 'Sec-Fetch-Site': 'none' })).toBe(200);
  });

  it('sends a policy without inline code and other origins', async () => {
    const { url } = await startApp(start, { limits: [] });
    for (const file of ['/', '/page.js', '/state']) {
      const { headers } = await fetch(`${url}${path}${file}`);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self';/,
      );
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('works below other prefixes', async () => {
    const { url } = await startApp(start, { limits: [], path: '/a/b-c/d' });
    const page = await fetch(`${url}/a/b-c/d`);
    expect([page.status, page.url]).toEqual([200, `${url}/a/b-c/d/`]);
    expect((await fetch(new URL('feed.js', page.url))).status).toBe(200);
  });

  it('ends its streams when it is closed', async () => {
    const { url, handle } = await startApp(start, { limits: [] });
    const events = await EventClient.open(`${url}${path}/events`);
    await events.next();
    handle.close();
    expect(await events.next()).toBeUndefined();
    expect((await fetch(`${url}${path}/events`)).status).toBe(503);
    expect((await fetch(`${url}${path}/`)).status).toBe(200);
  });
});

it('shows a gate of several limits above its limits, and a gate of one limit as that limit', async () => {
  const shared = createLimiter({ name: 'shared', limit: 9 });
  const several = createGate({
    name: 'api',
    limits: [{ name: 'user', limit: 2, perKey: true }, { limiter: shared }],
  });
  const one = concurrencyLimit({ name: 'one', limit: 4 });
  const [, start] = frameworks[0] as (typeof frameworks)[number];
  const { url } = await startApp(start, { limits: [several, one, shared] });
  const permit = await several.acquire({ keys: { user: 'a secret key' } });
  onTestFinished(() => permit.release());
  const text = await (await fetch(`${url}${path}/state`)).text();
  expect(text).not.toContain('secret');
  expect(JSON.parse(text).limits).toMatchObject([
    { name: 'api', inflight: 1 },
    { name: 'user', gate: 'api', limit: 2, inflight: 1, keys: 1 },
    // A reused limiter has one row.
    { name: 'shared', limit: 9, inflight: 1 },
    { name: 'one', limit: 4, inflight: 0 },
  ]);
});

it('shows no common limit if each request sets the limit of its key, and offers no change of it', async () => {
  const limit = concurrencyLimit({
    limits: [
      {
        name: 'customer',
        limit: (req) => (req.get('x-plan') === 'paid' ? 9 : 2),
        key: () => 'ann',
      },
      { name: 'app', limit: 20 },
    ],
  });
  const [, start] = frameworks[0] as (typeof frameworks)[number];
  const { url } = await startApp(start, { limits: [limit] });
  const { limits } = await (await fetch(`${url}${path}/state`)).json();
  expect(limits).toMatchObject([
    { name: 'customer+app' },
    { name: 'customer', keys: 0, operations: ['pause', 'drain', 'resume', 'shadow', 'enforce'] },
    { name: 'app', limit: 20 },
  ]);
  expect(limits[1].limit).toBeUndefined();
  expect(() => limit.limiters.customer?.setLimit(5)).toThrow(
    expect.objectContaining({ code: 'ERR_HEADGATE_UNSUPPORTED' }),
  );
});

/** Unlike `fetch`, sends any header. */
async function request(url: string, headers: Record<string, string>) {
  const { statusCode, body } = await send(url, { headers });
  return { statusCode, text: await body.text() };
}
