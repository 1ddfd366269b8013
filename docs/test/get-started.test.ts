import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tabsAt } from '../site/tabs.ts';
import { read, root } from './pages.ts';

const page = read('docs/guide.md');
const hook = '--import=@headgate/node/register';

/** The servers of the page, by their framework. */
const servers = [
  { label: 'Express', text: page },
  ...tabsAt('tabs/guide.md#1-a-server-with-a-limit'),
].map(({ label, text }): [string, string, NodeJS.ProcessEnv | undefined] => {
  const [, code = ''] = /^```[jt]s\n(.*?)^```/ms.exec(text) ?? [];
  const [, HEADGATE] = /^HEADGATE='(.*?)' node /m.exec(text) ?? [];
  return [label, code, HEADGATE === undefined ? undefined : { HEADGATE }];
});

/** Starts a server in a process of its own. What it prints is collected. */
async function start(code: string, env: NodeJS.ProcessEnv | undefined) {
  const program = code.replace(/(?<=listen\(|port: )3000/, '0');
  const { outputText } = ts.transpileModule(program, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      experimentalDecorators: true,
    },
  });
  const preload = `--import=${join(root, 'examples/checks/report-port.mjs')}`;
  const flags = ['--conditions=headgate-source', '--import=tsx', ...(env ? [hook] : []), preload];
  const child = spawn(process.execPath, [...flags, '--input-type=module', '--eval', outputText], {
    cwd: join(root, 'examples'),
    env: { ...process.env, ...env },
    // The hook prints its limit.
    stdio: ['ignore', 'pipe', env ? 'ignore' : 'inherit', 'ipc'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  const printed: string[] = [];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => printed.push(text));
  const [port] = await once(child, 'message');
  return { url: `http://localhost:${port}/`, printed };
}

describe('of twenty requests at once, four run at a time', () => {
  it.each(servers)(
    '%s',
    async (label, code, env) => {
      const { url, printed } = await start(code, env);
      const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(url)));
      const statuses = answers.map(({ status }) => status);
      expect(statuses).toContain(200);
      expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
      // The hook leaves the program as it is, so it cannot print the queue.
      if (env !== undefined) return;
      const lines = [...printed.join('').matchAll(/^(\d+) running, (\d+) queued$/gm)];
      expect(Math.max(...lines.map(([, running]) => Number(running))), label).toBe(4);
      expect(Math.max(...lines.map(([, , queued]) => Number(queued))), label).toBeGreaterThan(0);
    },
    60_000,
  );
});

it("the front page shows the README's server", () => {
  const serverIn = (text: string) => /^```ts\n.*?^```/ms.exec(text)?.[0];
  expect(serverIn(read('docs/index.md'))).toBe(serverIn(read('README.md')));
});
