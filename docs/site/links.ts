import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { repository } from '../../scripts/addresses.mjs';
import { docs, root } from './pages.ts';
import { sourceOf, sourcePageOf } from './source-files.ts';

/**
 * The target of a link on the site. A link to a page of `docs/`, or to a file that the site shows, stays relative; a
 * link to any other file of the repository becomes an address in the repository.
 *
 * @param page - The page with the link, relative to `docs/`.
 * @param link - The link as it is written in the page.
 * @throws if the file does not exist.
 */
export function siteLink(page: string, link: string): string {
  if (/^(\w+:|#|\/)/.test(link)) return link;
  const [file = '', ...anchor] = link.split('#');
  const hash = anchor.map((name) => `#${name}`).join('');
  const path = posix.join('docs', posix.dirname(sourceOf(page)), file);
  const pageOfSite = sourcePageOf(path) ?? pageAt(posix.relative('docs', path));
  if (pageOfSite !== undefined) return posix.relative(posix.dirname(page), pageOfSite) + hash;
  if (!existsSync(join(root, path)))
    throw new Error(`docs/${page} links to ${link}, which does not exist.`);
  const kind = statSync(join(root, path)).isDirectory() ? 'tree' : 'blob';
  return `${repository}/${kind}/main/${path.replace(/\/$/, '')}${hash}`;
}

/** The page of the site that a path in `docs/` leads to; undefined if there is none. */
function pageAt(target: string): string | undefined {
  if (target.startsWith('..')) return undefined;
  // The overview of a folder is its README, which the site shows as the index.
  const path = target.replace(/(^|\/)README\.md$/, '$1').replace(/\/$/, '');
  if (existsSync(join(docs, path, 'README.md'))) return posix.join(path, 'index.md');
  return path.endsWith('.md') && (existsSync(join(docs, path)) || isGenerated(path))
    ? path
    : undefined;
}

/** The pages of the API reference are generated; VitePress finds dead links to them. */
function isGenerated(path: string): boolean {
  return path.startsWith('api-reference/');
}
