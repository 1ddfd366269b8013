import { once } from 'node:events';
import { connect } from 'node:net';
import { createLimiter } from '@headgate/core';
import { describe, expect, it } from 'vitest';
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

  it('answers a request for a target with a fragment', async () => {
    const { url } = await startApp(start, { limits: [] });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('GET /admin/limits#part HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [answer] = await once(socket, 'data');
    socket.destroy();
    expect(`${answer}`.split(' ')[1]).toBe('302');
    expect(/^location: (.*)\r$/im.exec(`${answer}`)?.[1]).toBe('./limits/');
  });

  it('redirects to the path with a slash, behind a proxy that removes a prefix too', async () => {
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
    expect(first.history[id]).toEqual([[first.now, 3, 1, 3, 0, 0]]);
    for (const permit of permits) permit.release();
    (await waiting).release();
    let second = await events.next();
    // On a busy machine, the release may have come after the second sample.
    while (second.limits[0].inflight > 0) second = await events.next();
    expect(second.limits).toMatchObject([{ id, inflight: 0, queued: 0 }]);
    expect(second.now - first.now).toBeGreaterThan(500);
    expect(Object.keys(second)).toEqual(['now', 'limits', 'reversions', 'resumptions']);
    await events.close();
    const query = `after=${first.now}&instance=${first.instance}`;
    const polled = await (await fetch(`${url}${path}/state?${query}`)).json();
    const all = await (await fetch(`${url}${path}/state`)).json();
    const times = (state: typeof all) => state.history[id].map(([at]: [number]) => at);
    expect(times(polled)).toContain(second.now);
    // Another sample may have followed.
    const known = times(all).slice(0, 1 + times(polled).length);
    expect(known).toEqual([first.now, ...times(polled)]);
  });

  it('sends its whole history to a page that was connected to another process', async () => {
    const limits = [createLimiter({ limit: 3 })];
    const { url } = await startApp(start, { limits });
    const first = await (await fetch(`${url}${path}/state`)).json();
    // By the clock of the other process, which may have started later or earlier.
    for (const known of ['after=1', `after=${first.now}`, `after=${first.now + 9e9}`]) {
      const query = `${known}&instance=other`;
      const polled = await (await fetch(`${url}${path}/state?${query}`)).json();
      expect(polled.history).toMatchObject(first.history);
      const events = await EventClient.open(`${url}${path}/events?${query}`);
      expect((await events.next()).history).toMatchObject(first.history);
      await events.close();
    }
  });

  it('sends a policy that forbids inline code and other origins', async () => {
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
