import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');
export const docs = join(root, 'docs');

/** Where TypeDoc writes the pages of the API reference. */
export const apiReferenceFolder = join(root, 'out/api-reference');

/** The front page, which is in no group and is not shipped with the packages. */
const FRONT_PAGE = 'index';

/** The pages in a folder of `docs/`, as file names without `.md`. */
export function pagesIn(folder = '.'): string[] {
  return readdirSync(join(docs, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -3))
    .sort();
}

/** The pages for users: those in `docs/` itself, without the front page, and those for authors of adapters and stores. */
export function userPages(): string[] {
  const authors = pagesIn('authors').map((page) => `authors/${page}`);
  return [...authors, ...pagesIn().filter((page) => page !== FRONT_PAGE)].sort();
}

/** The text of a page, by its path in `docs/` without `.md`. */
export function read(page: string): string {
  return readFileSync(join(docs, `${page}.md`), 'utf8');
}

/** The first heading of a text. */
export function titleOf(text: string): string {
  const [, title] = /^# (.*)$/m.exec(text) ?? [];
  if (title === undefined) throw new Error(`A page has no heading: ${text.slice(0, 60)}`);
  return title.replaceAll('`', '');
}
