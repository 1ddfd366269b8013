// Carries out the steps of the service's Dockerfile, and runs its entry point and its health check as a user who is not root.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.mjs';
import { install, runtimes } from '../runtimes/runtimes.mjs';
import { argumentsOf, buildStages, stagesOfImage, wordsOf } from './image-steps.mjs';

/** The user `node` of the image. */
const user = process.getuid?.() === 0 ? { uid: 1_000, gid: 1_000 } : {};

/**
 * Builds the image in `folder`, and runs it.
 *
 * @param bare The environment of a machine without the programs of this repository.
 */
export async function useImage(folder, bare) {
  const stage = stagesOfImage().at(-1);
  const env = await withNodeOf(stage, folder, bare);
  const cwd = await buildStages(folder, env);
  const port = await freePort();
  const configuration = join(folder, 'throttle.toml');
  writeFileSync(configuration, '[semaphores]\nreports = 1\n');
  const place = (word) =>
    word.replace('8000', port).replace('/etc/headgate/throttle.toml', configuration);
  const start = (words) => spawnFrom(words.map(place), { cwd, env, ...user });
  const health = () => start(wordsOf(argumentsOf(stage, 'HEALTHCHECK'))).exited;

  const service = start([...wordsOf(argumentsOf(stage, 'ENTRYPOINT')), '--port', `${port}`]);
  try {
    await service.printed('Ready');
    assert.equal(await health(), 0, 'the health check of a running service');
    const { answer } = await block(`http://127.0.0.1:${port}`);
    service.kill('SIGTERM');
    assert.equal((await answer).status, 202, 'a blocked request is answered at SIGTERM');
    assert.equal(await service.exited, 0, 'the exit code after SIGTERM');
    assert.notEqual(await health(), 0, 'the health check of a service that has ended');
  } finally {
    service.kill('SIGKILL');
  }
  console.log('The steps of the image lead to a service that starts, is healthy, and drains.');
}

/** The Node of the image, where a user other than root can start it. */
async function withNodeOf({ image }, folder, bare) {
  const version = /^node:([\d.]+)-alpine$/.exec(image)?.[1];
  const runtime = runtimes.find((known) => known.name === 'Node' && known.version === version);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  copyFileSync(await install(runtime), join(folder, 'bin/node'));
  chmodSync(join(folder, 'bin/node'), 0o755);
  return { ...bare, PATH: `${join(folder, 'bin')}:${bare.PATH}`, THROTTLE_LOG: 'info' };
}

function spawnFrom([program, ...args], options) {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  const exited = once(child, 'close').then(([code, signal]) => code ?? signal);
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  async function printed(text) {
    while (!output.includes(text)) {
      const ended = await Promise.race([once(child.stderr, 'data').then(() => false), exited]);
      if (ended !== false) throw new Error(`${program} has ended (${ended}):\n${output}`);
    }
  }
  return { printed, exited, kill: (signal) => child.kill(signal) };
}

/** A peer holds the semaphore, and another one waits for it: resolves, once it does, with the answer to come in an object. */
async function block(url) {
  const send = (method, path, body) =>
    fetch(url + path, { method, headers: { 'Content-Type': 'application/json' }, body });
  const newPeer = async () => (await send('POST', '/new_peer', '{"expires_in": "1m"}')).text();
  const held = await send('PUT', `/peers/${await newPeer()}/reports`, '1');
  assert.equal(held.status, 200);
  const answer = send('PUT', `/peers/${await newPeer()}/reports?block_for=1m`, '1');
  while (!/^throttle_pending\{semaphore="reports"\} 1$/m.test(await metrics(url)));
  return { answer };
}

const metrics = async (url) => (await fetch(`${url}/metrics`)).text();
