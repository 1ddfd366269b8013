import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { entryPoints } from '../site/entry-points.ts';
import { read, root } from './pages.ts';

const pages = ['docs/api.md', 'docs/authors/api-adapters.md', 'docs/authors/api-stores.md'];

/** The maximum number of names over all entry points, each counted once. */
const MAX_NAMES = 226;

const sources = entryPoints();

const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
/** Created once and before the tests, since it takes seconds. */
const program = ts.createProgram([...sources.values()], options);
const checker = program.getTypeChecker();

/** The exports of each entry point. */
const exported = new Map(
  [...sources].map(([entry, file]) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile);
    return [entry, checker.getExportsOfModule(module as ts.Symbol)];
  }),
);

/** The names at the start of each item of the lists of each page, by the entry points that the text before a list names. */
const documented = pages.map((page) => {
  const names = new Map<string, string[]>();
  for (const section of read(page)
    .split(/^From /m)
    .slice(1)) {
    const [intro = '', list = ''] = section.split('\n\n');
    const items = [...list.matchAll(/^- (.*?)(?:: |$)/gm)].map(([, item = '']) => item);
    const found = items.flatMap((item) => [...item.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    for (const [, entry = ''] of intro.matchAll(/`(@[^`]+)`/g)) {
      names.set(entry, [...(names.get(entry) ?? []), ...(found as string[])]);
    }
  }
  return names;
});

describe('the API pages', () => {
  it('name no entry point that does not exist', () => {
    const named = documented.flatMap((page) => [...page.keys()]);
    expect(named.filter((entry) => !sources.has(entry))).toEqual([]);
  });

  it.each([...exported])('have every export of %s once, and no other', (entry, symbols) => {
    const names = documented.flatMap((page) => page.get(entry) ?? []);
    expect(names.sort()).toEqual(symbols.map(({ name }) => name).sort());
  });
});

it(`there are at most ${MAX_NAMES} exported names`, () => {
  const names = new Set([...exported.values()].flat().map(({ name }) => name));
  expect(names.size).toBeLessThanOrEqual(MAX_NAMES);
});

/** The symbols behind the exports, which may be aliases of them. */
const published = new Set(
  [...exported.values()]
    .flat()
    .map((symbol) =>
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    ),
);

/**
 * The types of this repository that a type consists of and that TypeScript cannot name in the declarations of an
 * application: those that a file exports, and no entry point.
 */
function unnameable(type: ts.Type): string[] {
  const { aliasSymbol, aliasTypeArguments = [], symbol } = type;
  if (aliasSymbol !== undefined && isExported(aliasSymbol)) return unlessPublished(aliasSymbol);
  if (type.isUnionOrIntersection()) return type.types.flatMap(unnameable);
  if (!(type.flags & ts.TypeFlags.Object)) return [];
  const args = checker.getTypeArguments(type as ts.TypeReference);
  const isNamed = symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface);
  return [
    ...[...args, ...aliasTypeArguments].filter((arg) => arg !== type).flatMap(unnameable),
    ...(isNamed && isExported(symbol) ? unlessPublished(symbol) : []),
  ];
}

/** TypeScript writes out the aliases that their file does not export. */
function isExported({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some(
    (node) =>
      /\/packages\/[\w-]+\/src\//.test(node.getSourceFile().fileName) &&
      ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export,
  );
}

function unlessPublished(symbol: ts.Symbol): string[] {
  return published.has(symbol) ? [] : [symbol.name];
}

/** What a caller gets from a value of this type: the properties, and the results of functions. */
function resultsOf(type: ts.Type): ts.Type[] {
  const members = type
    .getProperties()
    .filter(isPublic)
    .map((member) => checker.getTypeOfSymbol(member));
  const calls = [type, ...members].flatMap((member) => member.getCallSignatures());
  return [...members, ...calls.map((call) => call.getReturnType())];
}

function isPublic(member: ts.Symbol): boolean {
  const [declaration] = member.declarations ?? [];
  if (declaration === undefined || hasPrivateName(declaration)) return false;
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  const isInternal = ts
    .getJSDocTags(declaration)
    .some(({ tagName }) => tagName.text === 'internal');
  return !isInternal && !(ts.getCombinedModifierFlags(declaration) & hidden);
}

function hasPrivateName(declaration: ts.Declaration): boolean {
  const name = ts.getNameOfDeclaration(declaration);
  return name !== undefined && ts.isPrivateIdentifier(name);
}

// Parameters are not: a caller writes them, and need not name their types.
it('TypeScript can name every type that an application gets from a limiter, a gate or a middleware', () => {
  const names = [
    ...['Limiter', 'LocalLimiter', 'LimiterStats', 'ShadowStats', 'Suggestion', 'QueueStats'],
    ...[
      'Gate',
      'GateStats',
      'GateGuard',
      'Handle',
      'Stats',
      'HttpHandle',
      'HttpStats',
      'Admission',
    ],
    ...['Permit', 'Rejection', 'RejectedError', 'Dashboard', 'Store', 'PostgresStore'],
    ...['LockClient', 'Lock', 'Server'],
  ];
  const symbols = [...published].filter(({ name }) => names.includes(name));
  expect(new Set(symbols.map(({ name }) => name)).size).toBe(names.length);
  const missing = symbols.flatMap((symbol) =>
    resultsOf(checker.getDeclaredTypeOfSymbol(symbol))
      .flatMap(unnameable)
      .map((name) => `${symbol.name} needs ${name}`),
  );
  expect(missing).toEqual([]);
});
