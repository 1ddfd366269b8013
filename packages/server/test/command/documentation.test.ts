import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { findProgram } from '@headgate/test-servers';
import { validate } from 'dockerfile-utils';
import { expect, it } from 'vitest';
import { parseConfiguration } from '../../src/configuration/configuration.ts';
import { Command } from './process.ts';

const root = resolve(import.meta.dirname, '../../../..');
const page = readFileSync(join(root, 'docs/server.md'), 'utf8');

function blocks(language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms');
  return [...page.matchAll(fence)].map(([, block = '']) => block);
}

/** A command, and its output according to the page. */
interface Step {
  readonly command: string;
  readonly shown: string;
}

function steps(): Step[] {
  return blocks('console').flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command = '', ...shown] = step.trimEnd().split('\n');
        return { command, shown: shown.join('\n') };
      }),
  );
}

/** The output of each command, one after the other, in one shell. */
async function typed(commands: readonly string[]): Promise<string[]> {
  const mark = '=== end of a command ===';
  const bash = spawn('bash', { env: environment(), stdio: ['pipe', 'pipe', 'inherit'] });
  const printed = text(bash.stdout);
  const closed = once(bash, 'close');
  for (const command of commands) bash.stdin.write(`${command}\nprintf '\\n%s\\n' '${mark}'\n`);
  bash.stdin.end();
  await closed;
  return (await printed).split(`\n${mark}\n`).slice(0, -1);
}

/** With a curl on PATH, even if only the bootstrap script has one. */
function environment(): NodeJS.ProcessEnv {
  const { path, env } = findProgram('curl');
  return { ...process.env, ...env, PATH: [dirname(path), process.env.PATH].join(delimiter) };
}

/** Ids differ each time; their order identifies them. */
function withoutIds(outputs: readonly string[]): string[] {
  const ids = new Map<string, string>();
  return outputs.map((output) =>
    output.trimEnd().replace(/\d{12,}/g, (id) => {
      const name = ids.get(id) ?? `id ${ids.size + 1}`;
      ids.set(id, name);
      return name;
    }),
  );
}

it('docs/server.md shows the responses of the server with the configuration that it shows', async () => {
  const [configuration] = blocks('toml');
  const command = new Command(configuration).start();
  const { url = '' } = await command.line('Ready');
  const all = steps();
  expect(all.length).toBeGreaterThan(20);
  const printed = await typed(
    all.map((step) => step.command.replaceAll('http://127.0.0.1:8000', url)),
  );
  const said = withoutIds(printed).map((output, i) => ({ command: all[i]?.command, output }));
  const shown = withoutIds(all.map((step) => step.shown));
  expect(said).toEqual(shown.map((output, i) => ({ command: all[i]?.command, output })));
});

it('docs/server.md has valid configurations, with every key', () => {
  const [first = '', whole = ''] = blocks('toml');
  expect(parseConfiguration(first, 'first').semaphores).toHaveProperty('reports');
  const configuration = parseConfiguration(whole, 'whole');
  expect(Object.keys(configuration.semaphores)).toHaveLength(4);
  const { semaphores: _, ...rest } = configuration;
  // A key that is misspelt is ignored: it would be missing here.
  expect(Object.entries(rest).filter(([, value]) => value === undefined)).toEqual([]);
});

it('docs/server.md has a valid Dockerfile', () => {
  const [dockerfile = ''] = blocks('dockerfile');
  expect(dockerfile).toContain('ENTRYPOINT');
  expect(validate(dockerfile).map(({ message }) => message)).toEqual([]);
  const { version } = JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8'));
  expect(dockerfile).toContain(`@headgate/server@${version} `);
});

it('docs/server.md has every option of the command', async () => {
  const command = new Command('').start(['--help']);
  await command.exit;
  const options = [...command.stdout.matchAll(/^ +(?:-\w, )?(--\w+)/gm)].map(([, name]) => name);
  const documented = [...page.matchAll(/`(--\w+)(?: <\w+>)?`/g)].map(([, name]) => name);
  const own = options.filter((name) => name !== '--help' && name !== '--version');
  expect(own.length).toBeGreaterThan(3);
  expect(own.filter((name) => !documented.includes(name))).toEqual([]);
});
