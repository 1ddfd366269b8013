// Derives dist/cjs, the CommonJS build for Jest and older tools, from the ES build in dist. Run by `prepack` in the folder of a
// package.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

/** ES modules only: code that requires the CommonJS build cannot load them, so they are bundled. */
const bundled = ['path-to-regexp'];

const folder = 'dist/cjs';

rmSync(folder, { recursive: true, force: true });
const files = readdirSync('dist', { recursive: true });
const ending = (suffix) => files.filter((file) => file.endsWith(suffix));

const { metafile } = await build({
  // One file in, one file out, so that all entry points of a package share their classes.
  entryPoints: ending('.js').map((file) => join('dist', file)),
  outdir: folder,
  outbase: 'dist',
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  bundle: true,
  metafile: true,
  define: { 'import.meta.url': 'importMetaUrl' },
  plugins: [{ name: 'keep-imports', setup: ({ onResolve }) => onResolve({ filter: /./ }, keep) }],
});

function keep({ path, kind }) {
  if (kind !== 'entry-point' && !bundled.includes(path)) return { path, external: true };
}

// CommonJS has no import.meta.
for (const path of Object.keys(metafile.outputs)) {
  const text = readFileSync(path, 'utf8');
  if (!text.includes('importMetaUrl')) continue;
  const url = "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;";
  writeFileSync(path, text.replace(/^"use strict";/, `"use strict";\n${url}`));
}

// The same declarations, in a folder whose package.json says CommonJS.
for (const file of ending('.d.ts')) cpSync(join('dist', file), join(folder, file));
writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');

// Their licenses require that they are included.
for (const name of bundled) {
  if (!Object.keys(metafile.inputs).some((file) => file.includes(`/node_modules/${name}/`)))
    continue;
  const entry = createRequire(join(process.cwd(), 'package.json')).resolve(name);
  cpSync(join(dirname(entry), '../LICENSE'), join(folder, `${name}.LICENSE`));
}
