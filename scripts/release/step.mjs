import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** No program that a step starts needs what a release may do. */
const isSecret = (name) => name === 'NPM_TOKEN' || name.startsWith('ACTIONS_ID_TOKEN');

/** Runs a command and shows its output. Resolves with its exit code, and with what it has reported by a code on stderr. */
export async function runStep(command) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSecret(name)));
  const child = spawn(command, { shell: true, env, stdio: ['ignore', 'inherit', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
    process.stderr.write(text);
  });
  const [status] = await once(child, 'close');
  const found = [...errors.matchAll(/^([A-Z]+_[A-Z]+): (.+)$/gm)];
  return { status, reported: found.map(([, code, message]) => ({ code, message })) };
}
