import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { Command } from './process.ts';

it.each(['SIGTERM', 'SIGINT'] as const)(
  '%s answers blocked requests and exits with 0',
  async (name) => {
    const command = new Command('[semaphores]\nA = 1\n').start();
    const client = await command.client();
    const [holder, ...peers] = await client.newPeers(9);
    await client.acquire(holder, 'A');
    const blocked = peers.map((peer) => client.acquire(peer, 'A', 1, '?block_for=1h'));
    for (const peer of peers) await client.untilPending(peer);
    const signalled = performance.now();
    command.signal(name);
    expect(await Promise.all(blocked)).toEqual(peers.map((peer) => `202 ${peer}`));
    expect(await command.exit).toBe(0);
    // The protocol allows one second. The client keeps the connections above alive.
    expect(performance.now() - signalled).toBeLessThan(5_000);
  },
);

it('a second SIGTERM does not stop the server before all requests are answered', async () => {
  const command = new Command('[semaphores]\nA = 1\n').start();
  const client = await command.client();
  const [holder, peer] = [await client.newPeer(), await client.newPeer()];
  await client.acquire(holder, 'A');
  const blocked = client.acquire(peer, 'A', 1, '?block_for=1h');
  await client.untilPending(peer);
  // An incomplete request delays the exit.
  const { url = '' } = await command.line('Ready');
  const unfinished = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  unfinished.write('GET /health HTTP/1.1\r\n');
  await once(unfinished, 'connect');
  expect(await client.said('GET', '/health')).toBe('200 Ok');
  command.signal('SIGTERM');
  await command.line('SIGTERM received');
  command.signal('SIGINT');
  command.signal('SIGTERM');
  expect(await blocked).toBe(`202 ${peer}`);
  expect(await command.exit).toBe(0);
});

it('SIGHUP raises and lowers full counts and keeps locks', async () => {
  const command = new Command('[semaphores]\nA = 1\nB = 5\n').start();
  const client = await command.client();
  const [holder, waiter] = await client.newPeers(2);
  await client.acquire(holder, 'A');
  const blocked = client.acquire(waiter, 'A', 1, '?block_for=1h');
  await client.untilPending(waiter);
  command.write('throttle.toml', '[semaphores]\nA = 0\nN = 4\n');
  command.signal('SIGHUP');
  await command.line('Read throttle.toml again.');
  expect(await client.remainder('A')).toBe('200 -1');
  expect(await client.remainder('B')).toBe('400 Unknown semaphore');
  expect(await client.remainder('N')).toBe('200 4');
  expect(await client.said('GET', `/peers/${waiter}/is_acquired`)).toBe('200 false');
  command.write('throttle.toml', '[semaphores]\nA = 2\n');
  command.signal('SIGHUP');
  expect(await blocked).toBe(`200 ${waiter}`);
});

it('after several SIGHUPs the latest content applies, however long the first took to read', async () => {
  const command = new Command('[semaphores]\nA = 1\n').start();
  const client = await command.client();
  const file = join(command.folder, 'throttle.toml');
  command.remove('throttle.toml');
  execFileSync('mkfifo', [file]);
  command.signal('SIGHUP');
  // The named pipe opens once the server reads it.
  const slow = await open(file, 'w');
  command.remove('throttle.toml');
  command.write('throttle.toml', '[semaphores]\nA = 3\n');
  command.signal('SIGHUP');
  for (let i = 0; i < 5; i++) await client.said('GET', '/health');
  await slow.writeFile('[semaphores]\nA = 2\n');
  await slow.close();
  const times = () => command.log().filter(({ msg }) => msg?.startsWith('Read throttle')).length;
  await vi.waitFor(() => expect(times()).toBe(2), 10_000);
  expect(await client.remainder('A')).toBe('200 3');
});

it.each(['[semaphores]\nA = -1\n', undefined])(
  'SIGHUP with the configuration %j changes nothing',
  async (text) => {
    const command = new Command();
    command.write('live.toml', '[semaphores]\nA = 1\n');
    command.start(['--port', '0', '-c', 'live.toml']);
    const client = await command.client();
    if (text === undefined) command.remove('live.toml');
    else command.write('live.toml', text);
    command.signal('SIGHUP');
    const { level, msg } = await command.line('The configuration stays as it was: live.toml');
    expect([level, msg]).toEqual(['error', expect.stringMatching(/semaphores\.A|ENOENT/)]);
    expect(await client.remainder('A')).toBe('200 1');
  },
);
