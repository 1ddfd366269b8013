// Runs the README's server as an application would have it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../free-port.mjs';
import { idOf } from './runtimes.mjs';

/** Longer than a busy machine needs to start the server. */
const TIMEOUT_MS = 30_000;

export async function runReadme(runtime, path, project) {
  const suite = { package: 'README', name: 'its server responds' };
  const snippets = [...readFileSync('README.md', 'utf8').matchAll(/^```ts\n(.*?)^```/gms)];
  const results = [];
  for (const [index, [, code]] of snippets.entries()) {
    const file = join(project, `readme-${idOf(runtime)}-${index}.mjs`);
    const port = await freePort();
    writeFileSync(file, code.replace('listen(3000)', `listen(${port})`));
    const message = await whyItFails(path, [...runtime.args, file], port, project);
    const state = message === undefined ? 'passed' : 'failed';
    results.push({ file: 'README.md', title: `snippet ${index + 1}`, state, message });
  }
  return { suite, results };
}

async function whyItFails(path, args, port, cwd) {
  const child = spawn(path, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const closed = once(child, 'close');
  try {
    const text = await answer(port);
    if (text === 'A PDF\n') return undefined;
    return `answered ${JSON.stringify(text)}: ${output}`;
  } catch (error) {
    return `${error.message}: ${output}`;
  } finally {
    child.kill();
    await closed;
  }
}

/** The answer of the limited route. Repeats the request until the server listens. */
async function answer(port) {
  const end = Date.now() + TIMEOUT_MS;
  for (;;) {
    try {
      return await (await fetch(`http://127.0.0.1:${port}/pdf`, { method: 'POST' })).text();
    } catch (error) {
      if (Date.now() > end) throw error;
      await delay(50);
    }
  }
}
