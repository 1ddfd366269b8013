// npm run build: bundles each published package, or those that are named, into its folder dist: ES modules, CommonJS, and
// types, which `tsc -b` has left in its folder out (docs/decisions/0078). Also copies the pages that a package ships.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { rolldown } from 'rolldown';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { manifestOf, publicPackages, root } from './packages.mjs';
import { shipDocs } from './ship-docs.mjs';

/** What the launchers in `bin` import. */
const programs = { postgres: 'print-sql', server: 'main' };

/** `tsc` compiles it, since it runs modules of its own as programs. */
const compiled = 'packages/cli';

/** Part of the bundles: code that requires the CommonJS build could not load it, and one file less is imported. */
export const bundled = ['path-to-regexp'];

const isExternal = (path) => !/^[./]/.test(path) && !bundled.includes(path);

/**
 * What two entry points use is in one file, so that each class exists once. What the metrics use of the core is in
 * another one: bundlers cannot remove all of the first.
 */
const shared = {
  groups: [
    {
      name: 'checks',
      test: /src.(checks|errors|suggestion|semaphore.priority|read-or-warn|warning)\.ts$/,
      minShareCount: 2,
      priority: 1,
    },
    { name: 'shared', minShareCount: 2 },
  ],
};

/** The entry points of a package by their path below `src` and `dist`, without a suffix. */
function entriesOf(folder) {
  const { exports = {} } = manifestOf(folder);
  const sources = Object.values(exports).map((entry) => entry['headgate-source']);
  const names = sources.map((path) => /^\.\/src\/(.*)\.ts$/.exec(path)[1]);
  const program = programs[folder.slice('packages/'.length)];
  return { names, all: program === undefined ? names : [...names, program] };
}

/** The paths of the entry points by their names, which become paths below `dist`. */
const inputOf = (names, pathOf) => Object.fromEntries(names.map((name) => [name, pathOf(name)]));

/**
 * Writes the JavaScript of the entry points into `target`. Returns the paths of its modules, and the names that each of
 * these files exports.
 */
export async function bundleCode(folder, names, format, target) {
  const bundle = await rolldown({
    cwd: join(root, folder),
    input: inputOf(names, (name) => `src/${name}.ts`),
    external: isExternal,
    platform: 'node',
    resolve: { conditionNames: ['import', 'node'] },
    experimental: { attachDebugInfo: 'none' },
  });
  const { output } = await bundle.generate({
    format,
    codeSplitting: shared,
    ...{ entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    // Names in stack traces and annotations for the bundlers of users stay; comments are in the types.
    ...{ comments: { annotation: true, legal: false, jsdoc: false }, minifyInternalExports: false },
    // Only Jest and old tools load it. They ignore source maps of packages.
    ...(format === 'cjs'
      ? { minify: { mangle: { keepNames: { class: true, function: false } } } }
      : { sourcemap: true }),
    dir: target,
  });
  for (const { fileName, code, map } of output.filter(({ type }) => type === 'chunk')) {
    write(join(target, fileName), code);
    if (map) write(join(target, `${fileName}.map`), JSON.stringify(linesOf(map)));
  }
  return {
    modules: output.flatMap((file) => file.moduleIds ?? []),
    exports: new Map(
      output
        .filter(({ isEntry }) => isEntry)
        .map(({ fileName, exports: names }) => [fileName, new Set(names)]),
    ),
  };
}

/**
 * The source map with the first position of each line of a source only, since columns take five times the space, and
 * without the text of the sources.
 */
function linesOf({ version, file, sources, mappings }) {
  const isNew = ([, source, line], index, segments) =>
    index === 0 || source !== segments[index - 1][1] || line !== segments[index - 1][2];
  const lines = decode(mappings).map((segments) =>
    segments.filter(isNew).map((segment) => segment.slice(0, 4)),
  );
  return { version, file, sources, names: [], mappings: encode(lines) };
}

/** All types of a package but those that its entry points declare. */
const sharedTypes = (path, { getModuleInfo }) => (getModuleInfo(path).isEntry ? null : 'shared');

/** @param exports The names that the JavaScript of each entry point exports. */
async function bundleTypes(folder, names, target, exports) {
  const bundle = await rollup({
    input: inputOf(names, (name) => join(root, folder, `out/${name}.d.ts`)),
    external: isExternal,
    plugins: [dts()],
    // Types that only exported ones mention stay private, as in the sources.
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({
    ...{ entryFileNames: '[name].d.ts', chunkFileNames: '[name].d.ts' },
    manualChunks: names.length > 1 ? sharedTypes : undefined,
    minifyInternalExports: false,
  });
  for (const { fileName, code } of output)
    write(
      join(root, folder, target, fileName),
      exportedInPlace(code, exports.get(fileName.replace(/\.d\.ts$/, '.js'))),
    );
}

/**
 * Moves `export` from the list at the end of a file to the declarations. In the declarations of an application, TypeScript
 * names a type by an entry point that exports it only if the type was declared with `export` (TS2742). Names that the
 * JavaScript does not export are exported as types: an import of a class as a value would fail.
 *
 * @param values The names that the JavaScript exports; all if undefined.
 */
function exportedInPlace(code, values) {
  const declaration = /^(?:declare (?:abstract )?(?:class|const|function)|interface|type) (\w+)/gm;
  const declared = new Set([...code.matchAll(declaration)].map(([, name]) => name));
  const types = new Set([...code.matchAll(/^(?:interface|type) (\w+)/gm)].map(([, name]) => name));
  const isValue = (name) => values === undefined || values.has(name.replace(/^.* as /, ''));
  const exported = new Set();
  const text = code.replace(/^export (type )?\{ (.*) \}(.*;)$/gm, (_, type, list, from) => {
    const others = { values: [], types: [] };
    for (const name of list.split(', ')) {
      const isMoved = declared.has(name) && (types.has(name) || isValue(name));
      if (isMoved) exported.add(name);
      else others[type === undefined && isValue(name) ? 'values' : 'types'].push(name);
    }
    return `export { ${others.values.join(', ')} }${from}\nexport type { ${others.types.join(', ')} }${from}`;
  });
  // TypeScript reads them at the top of a file only.
  const references = text.match(/^\/\/\/ <reference .*\n/gm) ?? [];
  return [...references, text]
    .join('')
    .replace(declaration, (found, name) => (exported.has(name) ? `export ${found}` : found));
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The licenses of bundled packages require that they are included. */
function includeLicenses(folder, modules) {
  for (const name of bundled) {
    if (!modules.some((path) => path.includes(`/node_modules/${name}/`))) continue;
    const entry = createRequire(join(root, folder, 'package.json')).resolve(name);
    cpSync(join(dirname(entry), '../LICENSE'), join(root, folder, `dist/${name}.LICENSE`));
  }
}

async function bundlePackage(folder) {
  rmSync(join(root, folder, 'dist'), { recursive: true, force: true });
  const { names, all } = entriesOf(folder);
  const { publishConfig } = manifestOf(folder);
  const hasCommonJs = JSON.stringify(publishConfig).includes('dist/cjs');
  const { modules, exports } = await bundleCode(folder, all, 'es', join(root, folder, 'dist'));
  includeLicenses(folder, modules);
  if (names.length === 0) return;
  if (!hasCommonJs) return bundleTypes(folder, names, 'dist', exports);
  await bundleCode(folder, names, 'cjs', join(root, folder, 'dist/cjs'));
  await bundleTypes(folder, names, 'dist/cjs', exports);
  write(join(root, folder, 'dist/cjs/package.json'), '{ "type": "commonjs" }\n');
  // One declaration of each class for both, or TypeScript would take them for different ones.
  for (const name of names) {
    const path = `${'../'.repeat(name.split('/').length - 1) || './'}cjs/${name}.js`;
    write(join(root, folder, `dist/${name}.d.ts`), `export * from '${path}';\n`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2).map((name) => `packages/${name}`);
  const folders = publicPackages.filter((folder) => folder !== compiled);
  for (const folder of named.length > 0 ? named : folders) await bundlePackage(folder);
  shipDocs();
}
