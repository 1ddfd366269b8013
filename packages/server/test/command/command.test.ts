import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createCertificate, freePort } from '@headgate/test-servers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Command } from './process.ts';

const certificate = await createCertificate();

const abc = `
unknown = "ignored"
litter_collection_interval = "5m"

[semaphores]
A = 42
B = { max = 3, level = -5 }
"/&" = 1
closed = 0

[semaphores.C]
max = 2
level = 7
color = "ignored"

[logging.stderr]
level = "INFO"
`;

it('the configuration file sets full counts and levels', async () => {
  const command = new Command(abc).start(['--port', '0'], {});
  const client = await command.client();
  const remainders = await Promise.all(
    ['A', 'B', '%2F%26', 'closed', 'C'].map((name) => client.remainder(name)),
  );
  expect(remainders).toEqual(['200 42', '200 3', '200 1', '200 0', '200 2']);
  const peer = await client.newPeer();
  await client.acquire(peer, 'B');
  expect(await client.acquire(peer, 'C')).toContain('lock level is -5 the\n');
  expect(await client.acquire(peer, 'closed')).toMatch(/^409 Lock can never be acquired/);
  const warnings = command.log().filter(({ level }) => level === 'warn');
  expect(warnings.map(({ msg }) => msg)).toEqual([
    'throttle.toml:2: the key "unknown" is unknown and ignored',
    'throttle.toml:14: the key "semaphores.C.color" is unknown and ignored',
  ]);
});

it('the [server] table sets the bounds, the token and TLS', async () => {
  const table = 'token = "sesame"\nmax_peers = 2\nmax_blocked = 0\nmax_connections = 3\n';
  const tls = 'certificate = "cert.pem"\nkey = "key.pem"\n';
  const command = new Command(`[semaphores]\nA = 1\n[server]\n${table}${tls}`);
  command.write('cert.pem', certificate.cert);
  command.write('key.pem', certificate.key);
  const { url = '' } = await command.start().line('Ready');
  expect(url).toMatch(/^https:/);
  const agent = new Agent({ ca: certificate.cert, keepAlive: true, maxSockets: 1 });
  const ask = async (method: string, path: string, body = '', authorization = 'Bearer sesame') => {
    const headers = { authorization, 'Content-Type': 'application/json' };
    const sent = request(`${url}${path}`, { agent, method, headers }).end(body);
    const [response] = await once(sent, 'response');
    return `${response.statusCode} ${await text(response)}`;
  };
  expect(await ask('GET', '/remainder?semaphore=A', '', 'Bearer other')).toMatch(/^401/);
  const peer = '{"expires_in":"5m"}';
  const holder = (await ask('POST', '/new_peer', peer)).slice(4);
  const waiter = (await ask('POST', '/new_peer', peer)).slice(4);
  expect(await ask('POST', '/new_peer', peer)).toBe('503 Too many peers.');
  expect(await ask('PUT', `/peers/${holder}/A`, '1')).toBe(`200 ${holder}`);
  const blocked = await ask('PUT', `/peers/${waiter}/A?block_for=1h`, '1');
  expect(blocked).toBe('503 Too many blocked requests.');
  const port = Number(new URL(url).port);
  const others = [1, 2, 3].map(() => connect(port, '127.0.0.1').on('error', () => {}));
  await Promise.race(others.map((other) => once(other.resume(), 'close')));
  await command.line('A connection was closed: there are 3 already.');
  for (const other of others) other.destroy();
  agent.destroy();
});

it('the log level is warn by default, and THROTTLE_LOG overrides the file', async () => {
  const louder = new Command(abc.replace('INFO', 'ERROR')).start();
  await louder.line('Ready');
  const byDefault = new Command('[semaphores]\nA = 1\n');
  const overridden = new Command('[semaphores]\nA = 1\n[logging.stderr]\nlevel = "INFO"\n');
  for (const [command, env] of [
    [byDefault, {}],
    [overridden, { THROTTLE_LOG: 'warn' }],
  ] as const) {
    const port = await freePort();
    await command.start(['--port', `${port}`], env).clientOn(port);
    command.signal('SIGTERM');
    expect(await command.exit).toBe(0);
    expect(command.stderr).toBe('');
  }
});

it('a missing file is noted and counts as an empty configuration', async () => {
  const command = new Command().start();
  const client = await command.client();
  expect(command.lines[0]).toBe('throttle.toml not found => Using empty default configuration.');
  expect(await client.remainder('A')).toBe('400 Unknown semaphore');
});

it('-c, --configuration, --address and --port are applied', async () => {
  for (const option of ['-c', '--configuration']) {
    const command = new Command();
    command.write('other.toml', '[semaphores]\nX = 9\n');
    command.start([option, 'other.toml', '--port', '0', '--address', '127.0.0.1']);
    expect(await (await command.client()).remainder('X')).toBe('200 9');
  }
});

it('--help and --version print and exit', async () => {
  const help = new Command().start(['--help']);
  expect(await help.exit).toBe(0);
  for (const option of ['--address', '--port', '-c, --configuration', '--socket', '--version']) {
    expect(help.stdout).toContain(option);
  }
  expect(help.stdout).toMatch(/"127\.0\.0\.1"[\s\S]*8000[\s\S]*"throttle\.toml"/);
  const version = new Command().start(['--version']);
  expect(await version.exit).toBe(0);
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  expect(version.stdout).toBe(`${JSON.parse(manifest).version}\n`);
});

it.each([
  [['--port', '65536'], /--port.*65536/],
  [['--port', 'http'], /--port.*http/],
  [['--what'], /--what/],
  [['more'], /argument/],
  [['--socket', 'x', '--port', '1'], /--socket.*--port/],
])('the command line %j is refused', async (args, message) => {
  const command = new Command('').start(args);
  expect(await command.exit).toBe(2);
  expect(command.stderr).toMatch(message);
});

it.each([
  ['[semaphores]\nA = 1\nB = -1\n', 'throttle.toml:3: semaphores.B must be'],
  ['[semaphores\n', 'throttle.toml:1:12: '],
  ['[server]\ntokn = "x"\n', 'throttle.toml:2: [server] has no key "tokn"; did you mean "token"?'],
])('the configuration %j is refused', async (text, message) => {
  const command = new Command(text).start();
  expect(await command.exit).toBe(2);
  expect(command.stderr).toContain(`headgate-server: ${message}`);
  expect(command.lines).toHaveLength(1);
});

it('an invalid environment, token or certificate is refused', async () => {
  const loud = new Command('').start(['--port', '0'], { THROTTLE_LOG: 'LOUD' });
  expect(await loud.exit).toBe(2);
  expect(loud.stderr).toContain('THROTTLE_LOG must be one of error, warn');
  const token = new Command('[server]\ntoken = "geheim nicht"\n').start();
  expect(await token.exit).toBe(2);
  expect(token.stderr).toContain('token must be');
  expect(token.stderr).not.toContain('geheim');
  const tls = new Command('[server]\ncertificate = "no.pem"\nkey = "no.key"\n').start();
  expect(await tls.exit).toBe(2);
  expect(tls.stderr).toMatch(/throttle\.toml:2: server\.certificate: ENOENT.*no\.pem/);
  const broken = new Command('[server]\ncertificate = "no.pem"\nkey = "no.pem"\n');
  broken.write('no.pem', 'no certificate');
  expect(await broken.start().exit).not.toBe(0);
  expect(broken.stderr).toMatch(/headgate-server: .+/);
});

it('a port in use is reported', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  const command = new Command('[semaphores]\nA = 1\n').start(['--port', `${port}`]);
  expect(await command.exit).toBe(1);
  expect(command.stderr).toContain(`address already in use 127.0.0.1:${port}`);
  other.close();
});

it('a unix socket in a missing folder is reported', async () => {
  const command = new Command('[semaphores]\nA = 1\n').start(['--socket', 'nowhere/a.sock']);
  expect(await command.exit).toBe(1);
  expect(command.stderr).toContain("no such file or directory, access 'nowhere'");
});

it('the log reports the start, expiries and the stop', async () => {
  const command = new Command('').start();
  const client = await command.client();
  await client.newPeer('0s');
  await client.newPeer('0s');
  await client.ask('GET', '/peers/');
  command.signal('SIGTERM');
  expect(await command.exit).toBe(0);
  const said = command.log().map(({ level, msg }) => `${level} ${msg}`);
  expect(said).toEqual([
    'info Starting',
    'warn No semaphores configured.',
    'info Ready',
    'warn Removed 1 peers due to expiration.',
    'warn Removed 1 peers due to expiration.',
    'info SIGTERM received',
    'info Stopped',
  ]);
});

it('a log that is not read stops neither the server nor its exit', async () => {
  const command = new Command('[semaphores]\nA = 1\n');
  const log = join(command.folder, 'log');
  execFileSync('mkfifo', [log]);
  // Holds the pipe open, and reads nothing.
  const pipe = openSync(log, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(pipe));
  const port = await freePort();
  command.start(['--port', `${port}`], { THROTTLE_LOG: 'info' }, log);
  const client = await command.clientOn(port);
  for (let lines = 0; lines < 1_500; lines++) {
    expect((await client.ask('POST', '/new_peer', '{"expires_in":"0"}')).status).toBe(200);
  }
  command.signal('SIGTERM');
  expect(await command.exit).toBe(0);
});

it.runIf(existsSync('/dev/full'))(
  'a log that cannot be written does not stop the server',
  async () => {
    const command = new Command('[semaphores]\nA = 1\n');
    const port = await freePort();
    command.start(['--port', `${port}`], { THROTTLE_LOG: 'warn' }, '/dev/full');
    const client = await command.clientOn(port);
    for (let i = 0; i < 3; i++) await client.newPeer('0s');
    expect(await client.said('GET', '/peers/')).toBe('200 []');
    expect(await client.remainder('A')).toBe('200 1');
  },
);

it('running out of file descriptors does not stop the server, and the metrics work afterwards', async () => {
  const command = new Command('[semaphores]\nA = 1\n', 100).start();
  const client = await command.client();
  expect(await client.said('GET', '/health')).toBe('200 Ok');
  const port = Number(new URL((await command.line('Ready')).url as string).port);
  const connections = Array.from({ length: 150 }, () => connect(port, '127.0.0.1'));
  for (const each of connections) each.on('error', () => {});
  // The server closes connections for which it has no file descriptor.
  await Promise.race(connections.map((each) => once(each, 'close')));
  expect((await client.ask('GET', '/metrics')).status).toBe(500);
  for (const each of connections) each.destroy();
  await vi.waitFor(
    async () => expect((await client.ask('GET', '/metrics')).status).toBe(200),
    10_000,
  );
});

it('--socket listens on a unix socket and replaces a stale one', async () => {
  const socket = 'server.sock';
  const first = new Command('[semaphores]\nA = 6\n').start(['--socket', socket]);
  await first.line('Ready');
  first.signal('SIGKILL');
  await first.exit;
  expect(existsSync(join(first.folder, socket))).toBe(true);
  first.start(['--socket', join(first.folder, socket)]);
  const client = await first.client(1);
  expect(await client.remainder('A')).toBe('200 6');
  // A socket in use is left alone, and so is any other file.
  const second = new Command('').start(['--socket', join(first.folder, socket)]);
  expect(await second.exit).toBe(1);
  const third = new Command('').start(['--socket', join(first.folder, 'throttle.toml')]);
  expect(await third.exit).toBe(1);
  expect(existsSync(join(first.folder, 'throttle.toml'))).toBe(true);
  expect(await client.remainder('A')).toBe('200 6');
});
