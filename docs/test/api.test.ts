import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { read, root } from './pages.ts';

/** The source of each entry point of the published packages, by the name that an application imports. */
const sources = new Map(
  readdirSync(join(root, 'packages')).flatMap((folder) => {
    const { name, exports } = JSON.parse(read(`packages/${folder}/package.json`));
    return Object.keys(exports).map((path): [string, string] => [
      name + path.slice(1),
      join(root, 'packages', folder, exports[path]['headgate-source']),
    ]);
  }),
);

/** Once and before the tests, since it takes seconds. */
const exported = namesExported();

function namesExported(): ReadonlyMap<string, readonly string[]> {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  // Without libraries, since no type is checked: only names are read, those of types included.
  const program = ts.createProgram([...sources.values()], { ...options, noLib: true, types: [] });
  const checker = program.getTypeChecker();
  const namesIn = (file: string) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile);
    return checker.getExportsOfModule(module as ts.Symbol).map(({ name }) => name);
  };
  return new Map([...sources].map(([entry, file]) => [entry, namesIn(file).sort()]));
}

/** The names in the first column of the tables of each section. */
const documented = new Map(
  read('docs/api.md')
    .split(/^## /m)
    .slice(1)
    .map((section): [string, string[]] => {
      const [, entry = ''] = /^`(.*)`/.exec(section) ?? [];
      const cells = [...section.matchAll(/^\| (.*?) \|/gm)].map(([, cell = '']) => cell);
      const names = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
      return [entry, (names as string[]).sort()];
    }),
);

describe('docs/api.md', () => {
  it('has a section for each entry point', () => {
    expect([...documented.keys()].sort()).toEqual([...exported.keys()].sort());
  });

  it.each([...exported])('has every export of %s once, and no other', (entry, names) => {
    expect(documented.get(entry)).toEqual(names);
  });
});
