import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLimiter } from '@headgate/core';
import { chromiumOptions } from '@headgate/test-servers';
import { collectWarnings } from '@headgate/test-suite/kit';
import { chromium } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { frameworks, inExpress, startApp, tokenOf } from './apps.ts';

const path = '/admin/limits';
const limits = [createLimiter({ name: 'api', limit: 3 })];
const withoutAuthorize = { limits, authorize: undefined };

async function ask(url: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { headers, redirect: 'manual' });
  const cookie = answer.headers.get('set-cookie') ?? undefined;
  const location = answer.headers.get('location') ?? undefined;
  return { status: answer.status, cookie, location, text: await answer.text() };
}

describe.each(frameworks)('without authorize, the dashboard in %s', (_name, start) => {
  it('shows nothing without the token of the process, and says what to do', async () => {
    const { url } = await startApp(start, withoutAuthorize);
    const token = await tokenOf(`${url}${path}/`);
    for (const file of ['', '/', '/page.js', '/state', '/events', '/unknown']) {
      for (const wrong of ['', '?token=', `?token=${token}x`, `?token=${token.slice(1)}`]) {
        const { status, cookie, text } = await ask(url + path + file + wrong);
        expect([file, wrong, status, cookie]).toEqual([file, wrong, 403, undefined]);
        expect(text).toContain(`process ${process.pid} has printed`);
        expect(text).toContain('authorize: (request) =>');
        expect(text).not.toContain(token);
      }
    }
  });

  it('prints the token once, and only if a request lacks it', async () => {
    const { url } = await startApp(start, withoutAuthorize);
    const token = await tokenOf(`${url}${path}/`);
    const warnings = collectWarnings('HEADGATE_DASHBOARD_TOKEN');
    await ask(`${url}${path}/`);
    await ask(`${url}${path}/state?token=${token}`);
    expect(warnings).toEqual([]);
  });

  it('moves the token from the address to a cookie for its path', async () => {
    const { url } = await startApp(start, withoutAuthorize);
    const token = await tokenOf(`${url}${path}/`);
    const port = new URL(url).port;
    expect(await ask(`${url}${path}?token=${token}`)).toMatchObject({
      ...{ status: 302, cookie: undefined, location: `./limits/?token=${token}` },
    });
    const cookie = `headgate-dashboard${port}=${token}`;
    expect(await ask(`${url}${path}/?token=${token}`)).toMatchObject({
      ...{ status: 302, cookie: `${cookie}; HttpOnly; SameSite=Lax`, location: './' },
    });
    for (const file of ['/', '/page.js', '/state']) {
      const { status } = await ask(url + path + file, { Cookie: `other=1; ${cookie}` });
      expect([file, status]).toEqual([file, 200]);
    }
    for (const wrong of [`headgate-dashboard1=${token}`, `${cookie}x`, `x${cookie}`]) {
      expect(await ask(`${url}${path}/state`, { Cookie: wrong })).toMatchObject({ status: 403 });
    }
  });

  it('shows data to programs that send the token', async () => {
    const { url } = await startApp(start, withoutAuthorize);
    const token = await tokenOf(`${url}${path}/`);
    const { status, text } = await ask(`${url}${path}/state?token=${token}`);
    expect([status, JSON.parse(text).access]).toEqual([200, 'view']);
    const other = { 'Sec-Fetch-Site': 'cross-site' };
    expect(await ask(`${url}${path}/state?token=${token}`, other)).toMatchObject({ status: 403 });
  });

  it('the dashboard has no token if it has authorize', async () => {
    const { url } = await startApp(start, withoutAuthorize);
    const token = await tokenOf(`${url}${path}/`);
    const other = await startApp(start, { limits, authorize: () => false });
    for (const file of ['', '/', '/state']) {
      const answer = await ask(`${other.url}${path}${file}?token=${token}`);
      expect(answer).toMatchObject({ status: 403, text: 'Forbidden\n' });
    }
  });
});

/** What passes requests on to the app, on the same machine, in the ways in which such programs do. */
const proxies: Record<string, (port: number) => RequestListener> = {
  'a new Host': (port) =>
    forward(port, ({ headers }) => ({ ...headers, host: `127.0.0.1:${port}` })),
  'a new Host, and an agent that keeps connections': (port) =>
    forward(port, ({ headers }) => ({ ...headers, host: `127.0.0.1:${port}` }), keepAlive()),
  'an agent that keeps connections': (port) => forward(port, ({ headers }) => headers, keepAlive()),
  'the fields of the request': (port) => forward(port, ({ headers }) => headers),
  fetch: (port) => async (req, res) => {
    const answer = await fetch(`http://127.0.0.1:${port}${req.url}`);
    res.writeHead(answer.status).end(await answer.text());
  },
};

function keepAlive(): Agent {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  return agent;
}

function forward(
  port: number,
  headersOf: (req: IncomingMessage) => IncomingMessage['headers'],
  agent?: Agent,
): RequestListener {
  return (req, res) => {
    const { method, url: target } = req;
    const onward = { host: '127.0.0.1', port, path: target, method, agent };
    const sent = request({ ...onward, headers: headersOf(req) }, (answer) => {
      res.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(res);
    });
    req.pipe(sent);
  };
}

describe.each(Object.entries(proxies))('behind a proxy that sends %s', (_name, proxy) => {
  it.each([
    ['a visitor', 'app.example.com'],
    ['a visitor who forges the host', 'localhost'],
    ['a page that another site has resolved to this machine', 'evil.example:3000'],
  ])('%s sees nothing', async (_visitor, host) => {
    collectWarnings('HEADGATE_DASHBOARD_TOKEN');
    const { url } = await startApp(inExpress, withoutAuthorize);
    const server = createServer(proxy(Number(new URL(url).port)));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    for (const file of ['', '/', '/state', '/events', '/page.js']) {
      const headers = { host, connection: 'keep-alive', 'sec-fetch-site': 'same-origin' };
      const status = await new Promise((resolve) => {
        const options = { host: '127.0.0.1', port, path: path + file, headers };
        request(options, (answer) => resolve(answer.resume().statusCode)).end();
      });
      expect([file, status]).toEqual([file, 403]);
    }
  });
});

it('a browser that opens the address with the token shows the page, without the token in the address', async () => {
  const { url } = await startApp(inExpress, withoutAuthorize);
  const token = await tokenOf(`${url}${path}/`);
  const browser = await chromium.launch(chromiumOptions());
  onTestFinished(() => browser.close());
  const context = await browser.newContext();
  const page = await context.newPage();
  // As from a page of another site, which shows logs.
  await page.route('http://logs.example/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<a href="${url}${path}?token=${token}">open</a>`,
    }),
  );
  await page.goto('http://logs.example/');
  await page.getByText('open').click();
  await page.locator('.title', { hasText: 'api' }).waitFor();
  expect(page.url()).toBe(`${url}${path}/`);
  expect(await page.evaluate(() => document.cookie)).toBe('');
  expect(await context.cookies()).toMatchObject([
    { path: '/admin/limits', httpOnly: true, sameSite: 'Lax' },
  ]);
  await page.reload();
  await page.locator('.title', { hasText: 'api' }).waitFor();
});
