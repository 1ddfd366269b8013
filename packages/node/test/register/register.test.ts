import { get, request } from 'node:http';
import { expect, it } from 'vitest';
import { StartedApp, testFolder } from './started-app.ts';

/** Responds to `/slow` when `/finish` is requested, and to everything else at once. */
const handler = `(() => {
  const slow = [];
  return (req, res) => {
    if (req.url === '/slow') { slow.push(res); return console.log('slow'); }
    if (req.url === '/finish') for (const each of slow.splice(0)) each.end('slow');
    res.end(req.url);
  };
})()`;
const listening = `function () { console.log(this.address().port); }`;
const app = `
  import { createServer } from 'node:http';
  createServer(${handler}).listen(0, '127.0.0.1', ${listening});
`;

const oneAtATime = { name: 'app', limit: 1, queueLimit: 0, skip: ['/finish', '/assets/*'] };

/** The status of a request while another one is held. */
async function statusBeside(started: StartedApp, path = '/'): Promise<number> {
  const slow = fetch(await started.url('/slow'));
  expect(await started.line()).toBe('slow');
  const { status } = await fetch(await started.url(path));
  await fetch(await started.url('/finish'));
  expect(await (await slow).text()).toBe('slow');
  return status;
}

it('the hook limits an app that knows nothing of it', async () => {
  const started = new StartedApp({ app, HEADGATE: JSON.stringify(oneAtATime) });
  expect(await statusBeside(started)).toBe(503);
  expect(await (await fetch(await started.url('/after'))).text()).toBe('/after');
  expect(started.stderr).toBe(
    'headgate: limits the requests to this process (app: 1), as HEADGATE says. HEADGATE=off turns it off.\n',
  );
});

it('the hook says that it only simulates limits in shadow mode', async () => {
  const started = new StartedApp({
    app,
    HEADGATE: JSON.stringify({ ...oneAtATime, mode: 'shadow' }),
  });
  expect(await statusBeside(started)).toBe(200);
  expect(started.stderr).toContain('headgate: only simulates limits of the requests');
});

it('the hook simulates the default limit in shadow mode', async () => {
  const started = new StartedApp({ app, HEADGATE: '{"mode":"shadow"}' });
  expect(await statusBeside(started)).toBe(200);
  expect(started.stderr).toContain(
    'only simulates limits of the requests to this process (default: adaptive)',
  );
});

it('the limit is the default one without a configuration', async () => {
  const started = new StartedApp({ app });
  expect(await statusBeside(started)).toBe(200);
  expect(started.stderr).toContain('(default: adaptive)');
});

it.each(['off', 'OFF'])('the hook does nothing with HEADGATE=%s', async (HEADGATE) => {
  const files = { 'headgate.config.json': JSON.stringify(oneAtATime) };
  const started = new StartedApp({ app, files, HEADGATE });
  expect(await statusBeside(started)).toBe(200);
  expect(started.stderr).toBe('');
});

const json = JSON.stringify(oneAtATime);

it.each([
  ['headgate.config.json', json, undefined],
  ['headgate.config.cjs', `module.exports = ${json}`, undefined],
  ['headgate.config.mjs', `export default ${json}`, undefined],
  ['headgate.config.js', `module.exports = ${json}`, undefined],
  ['other.json', json, './other.json'],
])('the configuration is read from %s', async (name, text, HEADGATE) => {
  const started = new StartedApp({ app, files: { [name]: text }, ...(HEADGATE && { HEADGATE }) });
  expect(await statusBeside(started)).toBe(503);
  expect(started.stderr).toContain(`(app: 1), as ${name} says.`);
});

it('HEADGATE replaces the file, and the process says so', async () => {
  const files = { 'headgate.config.json': json };
  const started = new StartedApp({ app, files, HEADGATE: '{ "name": "app", "limit": 2 }' });
  expect(await statusBeside(started)).toBe(200);
  expect(started.stderr).toContain('(app: 2), as HEADGATE says.');
});

it('the hook limits each request once if it is loaded twice', async () => {
  const started = new StartedApp({
    app,
    HEADGATE: JSON.stringify({ ...oneAtATime, limit: 2 }),
    times: 2,
  });
  expect(await statusBeside(started)).toBe(200);
  expect(started.stderr.match(/headgate: limits/g)).toHaveLength(1);
});

it('the default limit may be one of several', async () => {
  const limits = [
    { name: 'client', key: 'address', limit: 2 },
    { name: 'app', limit: 'default' },
  ];
  const started = new StartedApp({ app, HEADGATE: JSON.stringify({ limits }) });
  expect((await fetch(await started.url())).status).toBe(200);
  expect(started.stderr).toContain('(client: 2 per key, app: adaptive)');
});

it.each([
  ['/assets/app.js', 200],
  ['/assets/../slow-report', 503],
  ['/assets/%2e%2e/slow-report', 503],
  ['/finish?now', 200],
  ['/finished', 503],
])('a path is skipped only if each reading of it matches: %s gets %i', async (path, status) => {
  const started = new StartedApp({ app, HEADGATE: json });
  const slow = fetch(await started.url('/slow'));
  await started.line();
  expect(await rawStatus(await started.url(), path)).toBe(status);
  await fetch(await started.url('/finish'));
  await slow;
});

it.each([
  ['/caf%C3%A9/menu', 200],
  ['/my%20files/1', 200],
  ['/100%25', 200],
  ['/caf%C3%A9/../slow-report', 503],
  ['/cafe/menu', 503],
])(
  'a pattern may have characters that URLs encode, encoded or not: %s gets %i',
  async (path, status) => {
    const skip = ['/finish', '/café/*', '/my%20files/*', '/100%'];
    const started = new StartedApp({ app, HEADGATE: JSON.stringify({ ...oneAtATime, skip }) });
    const slow = fetch(await started.url('/slow'));
    await started.line();
    expect(await rawStatus(await started.url(), path)).toBe(status);
    await fetch(await started.url('/finish'));
    await slow;
  },
);

async function rawStatus(url: string, path: string): Promise<number> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path }, (res) => {
      res.resume();
      resolve(res.statusCode as number);
    }).on('error', reject);
  });
}

it('the path or a header field of a proxy decides the priority', async () => {
  const priority = { paths: { '/finish': 'critical', '/batch*': 'low' }, header: 'X-Priority' };
  const HEADGATE = JSON.stringify({
    name: 'app',
    limit: 1,
    queueLimit: 2,
    priority,
    skip: ['/finish'],
  });
  const started = new StartedApp({ app, HEADGATE });
  const slow = fetch(await started.url('/slow'));
  await started.line();
  const low = [fetch(await started.url('/batch/1')), fetch(await started.url('/batch/2'))];
  const high = { headers: { 'x-priority': 'high' } };
  const displacing = fetch(await started.url('/report'), high);
  const unknown = { headers: { 'x-priority': 'highest' } };
  const displacingToo = fetch(await started.url('/other'), unknown);
  expect((await Promise.all(low)).map(({ status }) => status)).toEqual([503, 503]);
  await fetch(await started.url('/finish'));
  expect(
    (await Promise.all([displacing, displacingToo, slow])).map(({ status }) => status),
  ).toEqual([200, 200, 200]);
});

it('requests are counted by a header field or by the address', async () => {
  const limits = [
    { name: 'tenant', key: { header: 'X-Tenant' }, limit: 1 },
    { name: 'client', key: 'address', limit: 2 },
    { name: 'app', limit: 100 },
  ];
  const started = new StartedApp({
    app,
    HEADGATE: JSON.stringify({ limits, queueLimit: 0, skip: ['/finish'] }),
  });
  const from = async (tenant: string, path = '/') =>
    fetch(await started.url(path), { headers: { 'X-Tenant': tenant } });
  const slow = from('a', '/slow');
  await started.line();
  expect((await from('a')).status).toBe(503);
  expect((await from('b')).status).toBe(200);
  const second = from('b', '/slow');
  await started.line();
  expect((await from('c')).status).toBe(503);
  await from('c', '/finish');
  await Promise.all([slow, second]);
  expect(started.stderr).toContain('(tenant: 1 per key, client: 2 per key, app: 100)');
});

const notAValue = 'HEADGATE must be off, JSON or the path of a file, got';

it.each([
  ['{ "limit": "many" }', 'HEADGATE: limit must be a whole number'],
  ['{ "limt": 1 }', 'HEADGATE: concurrencyLimit has no option "limt"; did you mean "limit"'],
  ['{ "limit": 1', 'HEADGATE: '],
  ['20', `${notAValue} "20"`],
  ['./missing.json', `${notAValue} "./missing.json"`],
  ['wrong.json', 'wrong.json: limit must be a whole number'],
  ['text.mjs', 'text.mjs: expected an object, got string'],
  ['{ "skip": "/health" }', 'HEADGATE: skip must be an array of paths'],
  ['{ "skip": ["health"] }', 'HEADGATE: skip[0] must be a path'],
  ['{ "skip": ["/\\ud800"] }', 'HEADGATE: skip[0] must be a path'],
  ['{ "priority": { "path": {} } }', 'HEADGATE: priority has no option "path"'],
  ['{ "priority": { "paths": { "/": "top" } } }', 'HEADGATE: priority.paths["/"] must be one of'],
  ['{ "limit": 1, "key": "ip" }', 'HEADGATE: key must be "address"'],
  [
    '{ "limits": [{ "name": "a", "limit": 1, "key": {} }] }',
    'HEADGATE: limits[0].key.header must be',
  ],
  ['{ "admin": { "port": "9100" } }', 'HEADGATE: admin.port must be'],
])(
  'an invalid configuration stops the process before it listens, and the error names its source: %s',
  async (HEADGATE, message) => {
    const files = { 'wrong.json': '{ "limit": "many" }', 'text.mjs': 'export default "limit"' };
    const started = new StartedApp({ app, files, HEADGATE });
    expect(await started.exit).toBe(1);
    expect(started.stderr).toContain(`HeadgateError: ${message}`);
    expect(started.stderr).toContain("code: 'ERR_HEADGATE_CONFIGURATION'");
    expect(started.stderr).not.toMatch(/^ +at /m);
    await expect(started.line()).rejects.toThrow('has ended');
  },
);

it('the response is 500 when a function of the configuration throws', async () => {
  const files = {
    'headgate.config.mjs': `export default { limit: 1, skip() { throw new Error('a bug'); } }`,
  };
  const started = new StartedApp({ app, files });
  expect((await fetch(await started.url())).status).toBe(500);
  expect((await fetch(await started.url())).status).toBe(500);
  expect(started.stderr).toContain('a bug');
});

it('the admin server has the dashboard and the metrics', async () => {
  const HEADGATE = JSON.stringify({ ...oneAtATime, admin: { port: 0 } });
  const started = new StartedApp({ app, HEADGATE, cwd: testFolder, fromSources: true });
  await fetch(await started.url());
  const [, admin] = /admin server: (http:\S+)/.exec(started.stderr) ?? [];
  const metrics = await (await fetch(`${admin}metrics`)).text();
  expect(metrics).toContain('headgate_requests');
  expect((await fetch(`${admin}limits/`)).status).toBe(403);
  expect((await fetch(`${admin}other`)).status).toBe(404);
});

it('the hook limits each worker of a cluster', async () => {
  const started = new StartedApp({
    app: `
      import cluster from 'node:cluster';
      import { createServer } from 'node:http';
      if (cluster.isPrimary) cluster.fork();
      else createServer(${handler}).listen(0, '127.0.0.1', ${listening});
    `,
    HEADGATE: json,
  });
  expect(await statusBeside(started)).toBe(503);
  expect(started.stderr.match(/headgate: limits/g)).toHaveLength(1);
});

it('the hook limits the server of a worker thread', async () => {
  const started = new StartedApp({
    app: `
      import { isMainThread, Worker } from 'node:worker_threads';
      import { createServer } from 'node:http';
      if (isMainThread) new Worker(new URL(import.meta.url));
      else createServer(${handler}).listen(0, '127.0.0.1', ${listening});
    `,
    HEADGATE: json,
  });
  expect(await statusBeside(started)).toBe(503);
});

it('the app handles upgrades without a limit', async () => {
  const started = new StartedApp({
    app: `
      import { createServer } from 'node:http';
      createServer(${handler})
        .on('upgrade', (_req, socket) => socket.end('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\nhello'))
        .listen(0, '127.0.0.1', ${listening});
    `,
    HEADGATE: json,
  });
  const slow = fetch(await started.url('/slow'));
  await started.line();
  const { port } = new URL(await started.url());
  const headers = { Connection: 'Upgrade', Upgrade: 'websocket' };
  const upgraded = await new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', headers })
      .on('upgrade', (_res, _socket, head) => resolve(String(head)))
      .on('error', reject)
      .end();
  });
  expect(upgraded).toBe('hello');
  await fetch(await started.url('/finish'));
  await slow;
});
