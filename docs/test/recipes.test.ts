import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it, onTestFinished } from 'vitest';
import { read, root } from './pages.ts';

/** What the recipe calls: work that keeps its permit. */
const granted = `globalThis.render = () => new Promise(() => {});`;

/** Starts the server of a recipe, and resolves to its URL. */
async function start(page: string): Promise<string> {
  const [, code = ''] = /^```ts\n(.*?)^```/ms.exec(read(page)) ?? [];
  const { outputText } = ts.transpileModule(granted + code, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  const preload = join(root, 'examples/checks/report-port.mjs');
  const flags = ['--conditions=headgate-source', '--import=tsx', `--import=${preload}`];
  const child: ChildProcess = spawn(
    process.execPath,
    [...flags, '--input-type=module', '--eval', outputText.replace('listen(3000)', 'listen(0)')],
    { cwd: join(root, 'examples'), stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  const [port] = await once(child, 'message');
  return `http://localhost:${port}`;
}

const running = 4;

/** The answer to the first request that the limit rejects: all others wait for a permit. */
async function rejected(request: (signal: AbortSignal) => Promise<Response>): Promise<Response> {
  const others = new AbortController();
  onTestFinished(() => others.abort());
  const pending = Array.from({ length: running + 1 }, () => request(others.signal));
  const answer = await Promise.race(pending);
  for (const each of pending) each.catch(() => {});
  return answer;
}

it('the recipe for tRPC answers a rejection with 503 and Retry-After', async () => {
  const url = await start('docs/recipes-trpc.md');
  const answer = await rejected((signal) => fetch(`${url}/report`, { signal }));
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await answer.json()).toMatchObject({ error: { data: { code: 'SERVICE_UNAVAILABLE' } } });
});

it('the recipe for GraphQL Yoga answers a rejection with 503 and Retry-After', async () => {
  const url = await start('docs/recipes-graphql-yoga.md');
  const query = encodeURIComponent('{ report }');
  const answer = await rejected((signal) => fetch(`${url}/graphql?query=${query}`, { signal }));
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'TOO_BUSY' } }] });
});
