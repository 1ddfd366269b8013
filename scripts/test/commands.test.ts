import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { pages, read, root } from '../../docs/test/pages.ts';
import { parts } from '../../stryker.config.mjs';
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

it('the longest name of a subcommand that matches wins', () => {
  expect(find('bench', ['overload', 'page', 'x'])).toMatchObject({ count: 2 });
  expect(find('bench', ['overload', 'cpu'])).toMatchObject({ count: 1 });
});

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

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

it('the weekly workflow mutates each part of the core once', () => {
  const named = [
    ...read('.github/workflows/weekly.yml').matchAll(/npm run test:mutation -- (.+)/g),
  ];
  const mutated = named.flatMap(([, names = '']) => names.split(' '));
  expect(mutated.sort()).toEqual(Object.keys(parts).sort());
});

it('CONTRIBUTING.md lists the parts of the core that can be mutated', () => {
  const [, list = ''] =
    /`npm run test:mutation.* Parts: (.*?) \|/.exec(read('CONTRIBUTING.md')) ?? [];
  const listed = list.replaceAll(/\([^)]*\)/g, '').match(/[\w-]+(?=`)/g);
  expect(listed?.sort()).toEqual(Object.keys(parts).sort());
});

it.each(workflows)(
  '%s sets up Node without a cache for pnpm, which is not installed then',
  (file) => {
    const jobs = Object.values(parse(read(file)).jobs) as { steps: Step[] }[];
    const steps = jobs.flatMap(({ steps }) => steps);
    const setUps = steps.filter(({ uses }) => uses?.startsWith('actions/setup-node@'));
    expect(setUps.length).toBeGreaterThan(0);
    for (const { with: options } of setUps)
      expect(options).toMatchObject({ 'package-manager-cache': false });
  },
);
