import { existsSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shippedPages } from '../../scripts/ship-docs.mjs';
import { read, root } from './pages.ts';

function linksIn(text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => !/^(\w+:|#)/.test(link)).map((link) => link.split('#')[0] ?? '');
}

const packages = readdirSync(join(root, 'packages'));
const pages = shippedPages();

describe('an installed README links to what is installed', () => {
  it.each(packages)('of packages/%s', (name) => {
    const outside = linksIn(read(`packages/${name}/README.md`)).filter((link) => {
      const [, neighbour] = /^\.\.\/([\w-]+)(\/README\.md)?$/.exec(link) ?? [];
      return neighbour === undefined || !packages.includes(neighbour);
    });
    expect(outside).toEqual([]);
  });

  it.each(packages)('an installed README names only installed pages: packages/%s', (name) => {
    const named = [...read(`packages/${name}/README.md`).matchAll(/core\/docs\/([\w/-]+\.md)/g)];
    for (const [, page = ''] of named) expect(pages.has(page), page).toBe(true);
  });
});

describe('an installed page of the docs links to what is installed', () => {
  it.each([...pages])('%s', (page, text) => {
    const broken = linksIn(text).filter((link) => {
      const [, neighbour = ''] = /^\.\.\/\.\.\/([\w-]+)\/README\.md$/.exec(link) ?? [];
      return (
        !pages.has(posix.join(posix.dirname(page), link)) &&
        !(packages.includes(neighbour) && existsSync(join(root, 'packages', neighbour)))
      );
    });
    expect(broken).toEqual([]);
  });
});
