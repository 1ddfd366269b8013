// The types of a package declare exactly the values that its JavaScript exports: the two are bundled apart
// (docs/decisions/0078), and a declared value that does not exist fails only when it is used.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { manifestOf } from '../packages.mjs';

/** They act when they are loaded: Vitest must run, or servers of the process are limited. */
const withEffects = ['@headgate/test-suite', '@headgate/node/register'];

/** @param cwd Where the packages are installed, and everything that their types import. */
export async function checkValueExports(names, cwd) {
  const entries = names.flatMap((name) => {
    const folder = join(cwd, 'node_modules', name);
    return Object.entries(manifestOf(folder).exports ?? {}).flatMap(([path, entry]) =>
      [...new Set([entry.import, entry.default])]
        .filter((file) => file?.endsWith('.js') && !withEffects.includes(join(name, path)))
        .map((file) => join(folder, file)),
    );
  });
  const declared = declaredValues(entries.map((file) => file.replace(/\.js$/, '.d.ts')));
  const require = createRequire(import.meta.url);
  for (const [index, file] of entries.entries()) {
    const module = file.includes('/cjs/') ? require(file) : await import(file);
    assert.deepEqual(declared[index], Object.keys(module).sort(), file);
  }
  console.log(`${entries.length} entry points export what their types declare`);
}

/** The names of the values that each file of types declares. */
function declaredValues(files) {
  const options = { module: ts.ModuleKind.Node20, skipLibCheck: true };
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  return files.map((file) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file));
    return checker
      .getExportsOfModule(module)
      .filter((symbol) => isValue(symbol, checker))
      .map(({ name }) => name)
      .sort();
  });
}

function isValue(symbol, checker) {
  if ((symbol.flags & ts.SymbolFlags.Alias) === 0)
    return (symbol.flags & ts.SymbolFlags.Value) !== 0;
  if (symbol.declarations.some(ts.isTypeOnlyExportDeclaration)) return false;
  return (checker.getAliasedSymbol(symbol).flags & ts.SymbolFlags.Value) !== 0;
}
