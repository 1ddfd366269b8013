import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import ts from 'typescript';
import { onTestFinished } from 'vitest';
import { read, root } from './pages.ts';

/** A program of a page, or of one of its sections. Default: the first. */
export function programOf(page: string, { heading = '', index = 0 } = {}): string {
  const text = read(page).slice(read(page).indexOf(heading));
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)][index]?.[1] ?? '';
}

/** Runs a program in a process of its own, in the folder of the examples. */
export function run(
  code: string,
  output: 'inherit' | 'ignore',
  flags: string[] = [],
): ChildProcess {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  const args = ['--conditions=headgate-source', '--import=tsx', ...flags];
  const child = spawn(process.execPath, [...args, '--input-type=module', '--eval', outputText], {
    cwd: join(root, 'examples'),
    stdio: ['ignore', output, output, 'ipc'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  return child;
}

/** Starts the server of a recipe, and resolves to its URL. */
export async function start(program: string): Promise<string> {
  const preload = `--import=${join(root, 'examples/checks/report-port.mjs')}`;
  const code = program.replace('listen(3000)', 'listen(0)');
  const [port] = await once(run(code, 'inherit', [preload]), 'message');
  return `http://localhost:${port}`;
}
