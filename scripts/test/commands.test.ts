import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages, read, root } from '../../docs/test/pages.ts';
import { commands, find } from '../commands.mjs';

type Subcommands = Readonly<Record<string, { readonly run: readonly string[] }>>;

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const groups = Object.entries<Subcommands>(commands);

describe.each(groups)('npm run %s', (name, subcommands) => {
  it('is run by scripts/run.mjs', () => {
    expect(scripts[name]).toBe(`node scripts/run.mjs ${name}`);
  });

  it('runs a program that exists for each subcommand', () => {
    const files = Object.values(subcommands).map(({ run }) => run.at(-1) ?? '');
    const sources = files.map((file) => file.replace(/^bench\/dist\/(.*)\.js$/, 'bench/src/$1.ts'));
    expect(sources.filter((file) => !existsSync(resolve(root, file)))).toEqual([]);
  });

  it.each([[], ['unknown']])('lists its subcommands when the subcommand is: %s', (...words) => {
    const run = resolve(root, 'scripts/run.mjs');
    const { status, stderr } = spawnSync(process.execPath, [run, name, ...words], {
      encoding: 'utf8',
    });
    expect(status).toBe(2);
    const listed = [...stderr.matchAll(/^ {2}(.+?) {2,}/gm)].map(([, subcommand]) => subcommand);
    expect(listed).toEqual(Object.keys(subcommands));
  });
});

it('the longest name of a subcommand applies', () => {
  expect(find('bench', ['overload', 'page', 'x'])).toMatchObject({ count: 2 });
  expect(find('bench', ['overload', 'cpu'])).toMatchObject({ count: 1 });
});

const workflows = ['ci', 'weekly', 'release'].map((name) => `.github/workflows/${name}.yml`);
const files = [...workflows, 'scripts/ci.mjs'];

it.each([...pages, ...files])('every command that %s names exists', (file) => {
  const named = [...read(file).matchAll(/npm run ([\w:-]+)(?: -- ([\w ]*))?/g)];
  const unknown = named.filter(([, script = '', rest = '']) => {
    if (!Object.hasOwn(scripts, script)) return true;
    return rest !== '' && Object.hasOwn(commands, script) && !find(script, rest.trim().split(' '));
  });
  expect(unknown.map(([command]) => command)).toEqual([]);
});
