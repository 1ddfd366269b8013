import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { Command } from './process.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** A module that is preloaded and sends a signal when another module is resolved. */
function early(signal: string, module: string): string {
  const hook = `export async function resolve(name, context, next) {
    if (name === '${module}') process.kill(process.pid, '${signal}');
    return next(name, context);
  }`;
  const url = `data:text/javascript,${encodeURIComponent(hook)}`;
  const program = `import { register } from 'node:module'; register(${JSON.stringify(url)});`;
  return `data:text/javascript,${encodeURIComponent(program)}`;
}

/** Starts the command, which gets a signal while it loads a module. */
function signalled(signal: string, module: string) {
  // Runs the sources, because a bundle resolves no modules.
  const imports = ['--import', tsx, '--import', early(signal, module)];
  const args = ['--conditions=headgate-source', ...imports, main, '--port', '0'];
  const env = { ...process.env, THROTTLE_LOG: 'info' };
  return spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
}

it.each([
  ['SIGTERM', 'commander'],
  ['SIGINT', 'commander'],
  ['SIGTERM', 'hono'],
])('%s while %s is being loaded makes it exit with 0', async (signal, module) => {
  const child = signalled(signal, module);
  const [log, [code, killed]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([code, killed]).toEqual([0, null]);
  expect(log).toContain(`${signal} received`);
});

it('SIGHUP while the server is being loaded makes it reload once it can', async () => {
  const child = signalled('SIGHUP', 'commander');
  const log = text(child.stderr);
  child.stderr.on('data', (line) => String(line).includes('Ready') && child.kill('SIGTERM'));
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await log).toContain('The configuration stays as it was');
});

it.each([
  ['token = "two words"', 'throttle.toml:4: server.token must be of letters, digits'],
  ['certificate = "no.pem"\nkey = "no.pem"', 'throttle.toml:4: server.certificate: ENOENT'],
  [
    'key = "throttle.toml"\ncertificate = "throttle.toml"',
    'throttle.toml:5: server.certificate: error:',
  ],
])('[server] %j is refused with the file, the line and the key', async (line, message) => {
  const command = new Command(`[semaphores]\nA = 1\n[server]\n${line}\n`).start();
  expect(await command.exit).toBe(2);
  expect(command.stderr).toContain(`headgate-server: ${message}`);
  expect(command.stderr).not.toContain('two words');
});
