import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const main = fileURLToPath(new URL('../../src/command/main.ts', import.meta.url));

/** The sources look for the manifest, the page and a CommonJS package next to themselves, not next to the bundle. */
const ownUrls: Plugin = {
  name: 'own-urls',
  setup({ onLoad }) {
    onLoad({ filter: /packages\/server\/src\/.*\.ts$/ }, ({ path }) => {
      const url = JSON.stringify(pathToFileURL(path).href);
      const contents = readFileSync(path, 'utf8').replaceAll('import.meta.url', url);
      return { contents, loader: 'ts' };
    });
  },
};

/** The command bundled into one JavaScript file, which plain Node starts in a fraction of the time that tsx needs. */
export const program = await bundle();

async function bundle(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-server-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  const outfile = join(folder, 'main.mjs');
  await build({
    ...{ entryPoints: [main], outfile, bundle: true, logLevel: 'error', plugins: [ownUrls] },
    ...{ platform: 'node', format: 'esm', target: 'node20', keepNames: true },
    conditions: ['headgate-source'],
    // CommonJS packages require Node's own modules.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module';\nconst require = makeRequire(import.meta.url);",
    },
  });
  return outfile;
}
