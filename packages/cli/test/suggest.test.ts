import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { lcg } from '@headgate/test-kit/lcg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../src/command.ts';
import { Clients } from '../src/suggest/clients.ts';
import type { Entry } from '../src/suggest/formats.ts';
import { LogSummary } from '../src/suggest/log-summary.ts';
import type { SuggestResult } from '../src/suggest/result.ts';
import { type SimulatedRequest, simulatedServer } from './simulated-server.ts';

const epoch = Date.UTC(2026, 10, 29, 12);
const calm = [50, 0.4] as const;
const overload = [calm, [12, 2], calm, [12, 2], calm] as const;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headgate-suggest-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function command(...args: string[]) {
  let [stdout, stderr] = ['', ''];
  const code = await run(args, {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  return { code, stdout, stderr };
}

async function resultFor(...args: string[]): Promise<SuggestResult> {
  const { code, stdout, stderr } = await command('suggest', '--json', ...args);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

function pino(
  { end, took }: SimulatedRequest,
  url = '/report?id=7',
  statusCode: number | null = 200,
): string {
  return JSON.stringify({
    time: Math.round(epoch + end),
    req: { url },
    res: { statusCode },
    responseTime: took,
  });
}

const pad = (value: number) => `${value}`.padStart(2, '0');

function nginx({ end, took }: SimulatedRequest, extra: number): string {
  const date = new Date(epoch + end + extra);
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(pad).join(':');
  const total = ((took + extra) / 1000).toFixed(3);
  return `10.0.0.1 - - [29/Nov/2026:${time} +0000] "GET /report HTTP/1.1" 200 512 "-" "curl/8" ${total}`;
}

describe('headgate suggest', () => {
  it.each([3, 10, 24])(
    'finds the size of a pool of %i connections in the log of overloads',
    async (connections) => {
      const requests = simulatedServer(
        { connections, milliseconds: 60 },
        overload,
        lcg(connections),
      );
      const path = await file('pool.log', requests.map((request) => pino(request)).join('\n'));
      const [all] = (await resultFor(path)).routes;
      expect(all).toMatchObject({ isSaturated: true, requests: requests.length });
      expect(all?.limit).toBeGreaterThanOrEqual(connections / 1.5);
      expect(all?.limit).toBeLessThanOrEqual(connections * 1.5);
    },
  );

  it('finds it although slow clients count in $request_time', async () => {
    const random = lcg(7);
    const requests = simulatedServer({ connections: 10, milliseconds: 60 }, overload, random);
    const lines = requests.map((request) => ({
      request,
      extra: random() < 0.1 ? 2_000 * random() : 0,
    }));
    // nginx writes a line when the client has the answer.
    lines.sort((one, other) => one.request.end + one.extra - other.request.end - other.extra);
    const log = lines.map(({ request, extra }) => nginx(request, extra)).join('\n');
    const [all] = (await resultFor(await file('slow.log', log))).routes;
    expect(all).toMatchObject({ isSaturated: true });
    expect(all?.limit).toBeGreaterThanOrEqual(10 / 1.5);
    expect(all?.limit).toBeLessThanOrEqual(15);
  });

  it('does not take the queue of an overload for the capacity', async () => {
    const requests = simulatedServer(
      { connections: 4, milliseconds: 100 },
      [calm, [40, 3], calm],
      lcg(4),
    );
    const [all] = (
      await resultFor(await file('queue.log', requests.map((request) => pino(request)).join('\n')))
    ).routes;
    expect(all?.limit).toBeLessThanOrEqual(6);
  });

  it('says "at least" if the log contains no overload', async () => {
    const requests = simulatedServer({ connections: 50, milliseconds: 60 }, [calm], lcg(5));
    const path = await file('calm.log', requests.map((request) => pino(request)).join('\n'));
    const [all] = (await resultFor(path)).routes;
    expect(all).toMatchObject({ isSaturated: false });
    expect(all?.limit).toBeLessThanOrEqual(50);
    const { stdout } = await command('suggest', path);
    expect(stdout).toMatch(/at least \d+/);
    expect(stdout).toContain('The log contains no overload');
    expect(stdout).not.toContain('app.use');
  });

  it('says nothing about the capacity if the log is an overload from its first line on', async () => {
    const requests = simulatedServer({ connections: 6, milliseconds: 50 }, [[40, 1.7]], lcg(5));
    const path = await file('full.log', requests.map((request) => pino(request)).join('\n'));
    const { stdout } = await command('suggest', path);
    expect(stdout).toMatch(/all requests +[\d,]+ +100 % +0 +unknown\n/);
    expect(stdout).toContain('The log is too short, or has no quiet time');
  });

  it('prints the limit, its reason and the line of code of the route that was overloaded', async () => {
    const slow = simulatedServer({ connections: 4, milliseconds: 100 }, overload, lcg(6));
    const fast = simulatedServer({ connections: 400, milliseconds: 5 }, [[400, 0.0005]], lcg(7));
    const lines = [
      ...slow.map((request) => ({ ...request, line: pino(request, '/reports/17') })),
      ...fast.map((request) => ({ ...request, line: pino(request, '/health') })),
    ].sort((one, other) => one.end - other.end);
    const path = await file('two.log', lines.map(({ line }) => line).join('\n'));
    const { stdout } = await command('suggest', path);
    expect(stdout).toMatch(/^\S+ lines, 2026-11-29T\S+ to 2026-11-29T12:0/);
    expect(stdout).toMatch(/\/reports\/:id +[\d,]+ +\d+ % +0 +[3-6]\n/);
    expect(stdout).toMatch(/app\.use\('\/reports\/:id', concurrencyLimit\(\{ limit: [3-6] \}\)\);/);
    const { routes } = await resultFor(path, '--route', '/rep*');
    expect(routes).toEqual([expect.objectContaining({ route: '/rep*', requests: slow.length })]);
  });

  it('reads several files, also gzipped, in any order', async () => {
    const requests = simulatedServer({ connections: 8, milliseconds: 60 }, overload, lcg(8));
    const lines = requests.map((request) => pino(request));
    const half = lines.length / 2;
    const whole = await file('whole.log', lines.join('\n'));
    const newer = await file('newer.log', lines.slice(half).join('\n'));
    const older = await file('older.log.gz', gzipSync(lines.slice(0, half).join('\n')));
    const [expected] = (await resultFor(whole)).routes;
    const [all] = (await resultFor(newer, older)).routes;
    expect(all?.requests).toBe(expected?.requests);
    expect(Math.abs((all?.limit ?? 0) - (expected?.limit ?? 0))).toBeLessThanOrEqual(1);
  });

  it('counts rejected requests apart, and says which lines it could not read', async () => {
    const requests = simulatedServer({ connections: 8, milliseconds: 60 }, [calm], lcg(9));
    const lines = requests.map((request, index) =>
      pino(request, '/', index % 10 === 0 ? 503 : 200),
    );
    const path = await file('other.log', ['listening on port 3000', ...lines].join('\r\n'));
    const { stderr } = await command('suggest', path);
    expect(stderr).toContain(
      '1 lines were not counted: no known format. The first: listening on port 3000\n',
    );
    const [all] = (await resultFor(path)).routes;
    expect(all?.rejected).toBe(lines.filter((_, index) => index % 10 === 0).length);
  });

  it('one answer without an upstream changes nothing', async () => {
    const random = lcg(2);
    const pool = { connections: 10, milliseconds: 60 };
    const lines = simulatedServer(pool, overload, random).map((request) =>
      nginx(request, 0).replace(/ [\d.]+$/, (total) => ` rt=${total.trim()} urt=${total.trim()}`),
    );
    const expected = (await resultFor(await file('urt.log', lines.join('\n')))).routes;
    lines.push(`${lines.at(-1)?.replace(/rt=.*/, 'rt=0.000 urt=-')}`);
    const { routes } = await resultFor(await file('cached.log', lines.join('\n')));
    expect(routes[0]?.limit).toBe(expected[0]?.limit);
  });

  it('does not take a route for overloaded that is faster than the log can say', async () => {
    const requests = simulatedServer({ connections: 4, milliseconds: 1 }, [[60, 0.2]], lcg(3));
    const lines = requests.map(({ end }, index) => pino({ end, took: index % 50 === 0 ? 1 : 0 }));
    const { stdout } = await command('suggest', await file('fast.log', lines.join('\n')));
    expect(stdout).toContain('at least 1');
    expect(stdout).not.toContain('app.use');
  });

  it('suggests a limit per client, which affects few of them but much of the work', async () => {
    const lines: { readonly end: number; readonly line: string }[] = [];
    const add = (address: string, start: number, took: number) => {
      const end = start + took;
      const req = { url: '/report', remoteAddress: address };
      const json = { time: epoch + end, req, res: { statusCode: 200 }, responseTime: took };
      lines.push({ end, line: JSON.stringify(json) });
    };
    // Each of 400 clients has two requests at once, twice; one has 20 at once, all the time, from addresses of one subnet.
    for (let client = 0; client < 400; client++)
      for (const start of [0, 10, 500, 560])
        add(`10.0.${client >> 8}.${client & 255}`, 1_000 * client + start, 100 - (start % 100) / 2);
    for (let index = 0; index < 4_000; index++)
      add(`2001:db8::${(index % 20).toString(16)}`, 100 * index, 2_000);
    lines.sort((one, other) => one.end - other.end);
    const path = await file('clients.log', lines.map(({ line }) => line).join('\n'));
    const { clients } = await resultFor(path, '--key', 'addr');
    expect(clients).toMatchObject({ clients: 401, limit: 2 });
    expect(clients?.affectedWork).toBeGreaterThan(0.9);
    const { stdout } = await command('suggest', path, '--key', 'addr');
    expect(stdout).toMatch(/401 clients by address: 99 % of them never had more than 2 requests/);
    expect(stdout).toContain("{ name: 'client', limit: 2, key: (req) => ipKey(req.ip) }");
  });

  it('counts the requests of a client that run at once, whatever their order', () => {
    const clients = new Clients();
    const add = (start: number, end: number) =>
      clients.add({ end, took: end - start, address: 'a' } as Entry);
    // The long one, which ends last, began first.
    for (const [start, end] of [
      [10, 20],
      [15, 25],
      [30, 40],
      [0, 50],
    ] as const)
      add(start, end);
    expect(clients.end()).toMatchObject({ clients: 1, limit: 3 });
  });

  it('prints no code that a client has chosen', async () => {
    const requests = simulatedServer({ connections: 4, milliseconds: 60 }, overload, lcg(3));
    const lines = requests.map((request) => pino(request, "/a');evil('\u001b[J"));
    const path = await file('evil.log', lines.join('\n'));
    expect((await command('suggest', path)).stdout).toContain("app.use('/a???evil????J', ");
    const { stdout } = await command('suggest', path, '--route', '/a*');
    expect(stdout).toMatch(/\n {2}concurrencyLimit\(\{ limit: \d+ \}\)\n/);
  });

  it('stays small while the paths and the clock of a log vary without bound', () => {
    const log = new LogSummary(undefined, true);
    const random = lcg(1);
    for (let index = 0; index < 20_000; index++) {
      const path = `/${[...Array(8)].map(() => String.fromCharCode(97 + Math.floor(26 * random()))).join('')}`;
      const line = pino({ end: 1e9 * random(), took: 1e6 * random() }, path);
      log.add(line.replace('"url"', `"remoteAddress":"${index}","url"`));
    }
    expect(log.routes.size).toBeLessThanOrEqual(101);
    expect(log.clients.observed).toBeLessThanOrEqual(10_000);
    expect(log.all.requests).toBe(20_000);
    expect(log.all.suggest()).toBeUndefined();
  });

  it.each([
    ['an access log is missing', []],
    ["Unknown option '--rout'", ['--rout', 'x', 'access.log']],
    ['--key: expected addr, the address of the client, got user', ['--key', 'user', 'access.log']],
  ])('explains wrong usage: %s', async (message, args) => {
    const { code, stderr } = await command('suggest', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('fails for a file that does not exist, or is not gzipped', async () => {
    const missing = await command('suggest', join(folder, 'missing.log'));
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('ENOENT')]);
    const missingGzip = await command('suggest', join(folder, 'missing.log.gz'));
    expect([missingGzip.code, missingGzip.stderr]).toEqual([1, expect.stringContaining('ENOENT')]);
    const broken = await command('suggest', await file('broken.gz', 'no gzip'));
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('broken.gz: ')]);
  });

  it.each([
    ['the log is empty', ''],
    [
      'add rt=$request_time urt=$upstream_response_time to its log_format',
      '1.2.3.4 - - [29/Nov/2026:14:36:02 +0000] "GET / HTTP/1.1" 200 512',
    ],
    ['no line has a known format', 'hello\nworld'],
    ['no path matches /x', pino({ end: 0, took: 1 })],
  ])('explains a log without a result: %s', async (message, content) => {
    const path = await file('empty.log', content);
    const { code, stderr } = await command('suggest', path, '--route', '/x');
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('explains a log that is too short', async () => {
    const path = await file('short.log', pino({ end: 0, took: 1 }));
    expect((await command('suggest', path)).stdout).toContain(
      'The log is too short, or has no quiet time: use one',
    );
  });
});

describe('headgate', () => {
  it('prints its usage', async () => {
    expect(await command('--help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('headgate suggest LOG...'),
    });
    expect(await command()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a command is missing'),
    });
    expect(await command('tyr')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('unknown command: tyr'),
    });
  });
});
