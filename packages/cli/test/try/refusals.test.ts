import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../src/command.ts';
import { server, shortTimes } from './command.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headgate-try-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function freePort(): Promise<number> {
  const listening = createServer().listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  await new Promise((resolve) => listening.close(resolve));
  return port;
}

// From the sources.
const execArgv = ['--import=tsx', '--conditions=headgate-source'];

/** Runs the command in this process, which is quicker than to start one for each. */
async function tryHere(args: readonly string[], times = {}) {
  let text = '';
  const write = (part: string) => (text += part);
  const internals = { times: { ...shortTimes, ...times }, hook: '', execArgv };
  const code = await run(['try', ...args], { stdout: { write }, stderr: { write } }, internals);
  return { code, text: text.replace('1/6 as it is\n', '') };
}

/** What the command prints about a server, whose port is `PORT` in the answer. */
async function refusalOf(command: readonly string[], times?: object) {
  const port = await freePort();
  const { code, text } = await tryHere([`http://127.0.0.1:${port}/page`, ...command], times);
  return { code, text: text.replaceAll(`${port}`, 'PORT') };
}

const url = 'http://127.0.0.1:PORT/page';
const redirect = `res.writeHead(302, { location: '/other' }).end()`;
const exitAfter = (count: number) =>
  `globalThis.n = (globalThis.n ?? 0) + 1; if (n > ${count}) process.exit(7);`;

describe.concurrent('a server that cannot be measured is refused in a sentence:', {
  timeout: 120_000,
}, () => {
  it.each<[string, string[], RegExp | string, object?]>([
    [
      'it answers 404',
      server('res.writeHead(404).end()'),
      `${url} answers 404: this would measure an error page.`,
    ],
    ['it redirects', server(redirect), `${url} redirects (302) to /other.`],
    [
      'it ends',
      ['--', process.execPath, '/no/such/file.js'],
      `the command ended (1) before it answered at ${url}. Its last output:\n  | Error: Cannot find module '/no/such/file.js'`,
    ],
    [
      'no such command',
      ['--', 'no-such-command'],
      'the command cannot be started: there is no program "no-such-command"',
    ],
    [
      'it ignores PORT',
      server('res.end()', '', '0'),
      /nothing listens on port PORT; the command listens on \d+\. It ignores PORT/,
    ],
    [
      'it needs a terminal',
      ['--', process.execPath, '-e', 'if (!process.stdin.isTTY) throw new Error("no TTY")'],
      `the command ended (1) before it answered at ${url}. Its last output:\n  | Error: no TTY`,
    ],
    [
      'it asks a question, and waits for the answer',
      ['--', 'sh', '-c', 'printf "Port? "; exec sleep 100'],
      `nothing answers at ${url} within 2 s: the command listens on no port. Its last output:\n  | Port?`,
      { maxStart: 2_000 },
    ],
    [
      'it never listens',
      ['--', process.execPath, '-e', 'setInterval(() => {}, 1000)'],
      `nothing answers at ${url} within 1 s: the command listens on no port. It has printed nothing.`,
      { maxStart: 1_000 },
    ],
    [
      'it ends under load',
      server(`${exitAfter(20)} res.end()`),
      'the command ended (7) under load.',
    ],
    [
      'it accepts connections, but never answers',
      server(''),
      `${url} accepts connections, but sends no answer within 1 s. Does it speak https?`,
      { maxStart: 1_000 },
    ],
    [
      'it answers 500',
      server('res.writeHead(500).end()'),
      `${url} answers 500: this would measure an error page.`,
    ],
  ])('%s', async (_, command, sentence, times) => {
    const { code, text } = await refusalOf(command, times);
    expect(text).toMatch(sentence);
    expect(code).toBe(1);
  });

  it('another one listens on its port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, text } = await tryHere([`http://127.0.0.1:${port}/`, ...server('res.end()')]);
    other.close();
    expect(text).toContain(
      `something listens on port ${port} already, and would be measured instead`,
    );
    expect(code).toBe(1);
  });

  it('a server that rejects by itself shows nothing; it gets the body and the headers of the files', async () => {
    const [body, headers] = [join(folder, 'body'), join(folder, 'headers')];
    await Promise.all([writeFile(body, 'abc'), writeFile(headers, 'Cookie: a=b\n')]);
    const throttled = server(
      'const { cookie, "content-length": length } = req.headers;' +
        'if (req.method + cookie + length !== "POSTa=b3") return res.writeHead(404).end();' +
        'n++ < 10 ? setTimeout(() => res.end(), 20) : res.writeHead(429).end()',
      'let n = 0',
    );
    const files = ['--json', '--body', body, '--headers', headers];
    const { code, text } = await refusalOf([...files, ...throttled]);
    const { verdict, sentence } = JSON.parse(text);
    expect([verdict, code]).toEqual(['shows nothing', 2]);
    expect(sentence).toMatch(
      /rejects \d+ % of the requests of a few clients by itself, with 429 or 503/,
    );
  });
});

describe('wrong usage is refused before anything is started:', () => {
  it.each([
    [['http://localhost:1/'], /the command that starts the server is missing/],
    [['--', 'node', 'server.js'], /a URL is missing/],
    [
      ['localhost:3000', '--', 'node'],
      /expected a URL such as http:\/\/localhost:3000\/report, got localhost:3000/,
    ],
    [
      ['http://example.com', '--', 'node'],
      /example\.com is not this machine. If you may overload it: --i-may-load example\.com/,
    ],
    [
      ['http://localhost:1/', 'http://localhost:2/', '--', 'node'],
      /all URLs must be of one server/,
    ],
    [
      ['http://localhost:1/', '--weights', '1,2', '--', 'node'],
      /--weights: expected 1 positive numbers/,
    ],
    [
      ['http://localhost:1/', '--limit', '0', '--', 'node'],
      /--limit: expected a positive whole number, got 0/,
    ],
    [['http://localhost:1/', '--body', '/no/file', '--', 'node'], /ENOENT.*\/no\/file/],
    [['http://localhost:1/', '--fast', '--', 'node'], /Unknown option '--fast'/],
    [['http://localhost:1/', '--running', '--', 'node'], /with --running, nothing is started/],
  ])('%j', async (args, sentence) => {
    let stderr = '';
    const output = {
      stdout: process.stdout,
      stderr: { write: (text: string) => (stderr += text) },
    };
    expect(await run(['try', ...args], output)).not.toBe(0);
    expect(stderr).toMatch(sentence);
  });
});
