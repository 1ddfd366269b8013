import { once } from 'node:events';
import { connect } from 'node:net';
import { collectWarnings } from '@headgate/test-suite';
import { request as send } from 'undici';
import { describe, expect, it } from 'vitest';
import { frameworks, startApp } from './apps.ts';

const path = '/admin/limits';

describe.each(frameworks)('the dashboard in %s', (_name, start) => {
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
});

/** Unlike `fetch`, sends any header. */
async function request(url: string, headers: Record<string, string>) {
  const { statusCode, body } = await send(url, { headers });
  return { statusCode, text: await body.text() };
}
