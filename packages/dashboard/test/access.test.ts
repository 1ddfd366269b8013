import { once } from 'node:events';
import { connect } from 'node:net';
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

  it('refuses a request whose host is ambiguous', async () => {
    const { url } = await startApp(start, { limits: [] });
    const port = Number(new URL(url).port);
    const statusOf = async (target: string, fields: string) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET ${target} HTTP/1.1\r\n${fields}Connection: close\r\n\r\n`);
      const [answer] = await once(socket, 'data');
      socket.destroy();
      return Number(`${answer}`.split(' ')[1]);
    };
    const host = 'Host: localhost\r\n';
    for (const file of ['', '/', '/state', '/events']) {
      expect(await statusOf(path + file, `${host}hOST: evil.example\r\n`)).toBe(400);
      expect(await statusOf(`http://localhost${path}${file}`, host)).toBe(400);
    }
    expect(await statusOf(`${path}/state`, host)).toBe(200);
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
