import { resolve } from 'node:path';
import { build } from 'vite';

/** Builds the page as the site does; returns the text of each file by its name, such as `index.html`. */
export async function buildPage(): Promise<ReadonlyMap<string, string>> {
  const result = await build({
    configFile: false,
    root: resolve(import.meta.dirname, '..'),
    logLevel: 'silent',
    resolve: { conditions: ['headgate-source', 'module', 'browser', 'production'] },
    build: { write: false },
  });
  if (!('output' in result)) throw new Error('expected the result of a single build');
  return new Map(
    result.output.map((file) => [
      file.fileName,
      file.type === 'chunk' ? file.code : `${file.source}`,
    ]),
  );
}
