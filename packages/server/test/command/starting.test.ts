import { expect, it } from 'vitest';
import { Command } from './process.ts';

/** A module that is loaded first, and sends a signal when another one is looked for. */
const early = (signal: string, module: string) => {
  const hook = `export async function resolve(name, context, next) {
    if (name === '${module}') process.kill(process.pid, '${signal}');
    return next(name, context);
  }`;
  const url = `data:text/javascript,${encodeURIComponent(hook)}`;
  const program = `import { register } from 'node:module'; register(${JSON.stringify(url)});`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };
};

it.each([
  ['SIGTERM', 'commander'],
  ['SIGINT', 'commander'],
  ['SIGTERM', 'hono'],
])('%s while %s is being loaded ends it with 0', async (signal, module) => {
  const env = { THROTTLE_LOG: 'info', ...early(signal, module) };
  const command = new Command('[semaphores]\nA = 1\n').start(['--port', '0'], env);
  expect(await command.exit).toBe(0);
  expect(command.log().map(({ msg }) => msg)).toContain(`${signal} received`);
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
