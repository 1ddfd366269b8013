import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HeadgateError } from '@headgate/core';

/** Media types by file extension. */
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Comments on lines of their own are a fifth of the page, and of no use to a browser. */
const comments = /^ *\/\*(?:(?!\*\/).)*\*\/\n/gms;

/** A file that the browser loads. */
export interface PageFile {
  readonly type: string;
  readonly text: string;
}

/** The files of the page, by the name under which they are served. */
export function readFiles(): ReadonlyMap<string, PageFile> {
  const own = join(packageFolder(), 'ui');
  // The files that all pages of Headgate share. They are copied into the package when it is packed.
  const packed = join(own, 'shared');
  const shared = existsSync(packed) ? packed : join(own, '../../../internal/page');
  const files = new Map<string, PageFile>();
  for (const folder of [shared, own]) {
    for (const name of readdirSync(folder)) {
      const type = types[extname(name)];
      if (type === undefined) continue;
      files.set(name, {
        type,
        text: readFileSync(join(folder, name), 'utf8').replace(comments, ''),
      });
    }
  }
  return files;
}

/**
 * The sources, the build and its CommonJS variant are at different depths.
 *
 * @throws HeadgateError if a bundler has moved the code away from its files.
 */
function packageFolder(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'ui/page.html'))) return folder;
    if (folder === dirname(folder)) break;
  }
  const message = `the files of the dashboard are not above ${start}: exclude @headgate/dashboard from the bundle (external)`;
  throw new HeadgateError('ERR_HEADGATE_RUNTIME', message);
}
