import { execute } from '../shell.mjs';

/** No program that a step starts needs what a release may do. */
const isSecret = (name) => name === 'NPM_TOKEN' || name.startsWith('ACTIONS_ID_TOKEN');

/** Runs a command and shows its output. Resolves with its exit code, and with what it has reported by a code on stderr. */
export async function runStep(command) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSecret(name)));
  const stdio = ['ignore', 'inherit', 'pipe'];
  const { status, output } = await execute(command, { env, stdio, isShown: true });
  const found = [...output.matchAll(/^([A-Z]+_[A-Z]+): (.+)$/gm)];
  return { status, reported: found.map(([, code, message]) => ({ code, message })) };
}
