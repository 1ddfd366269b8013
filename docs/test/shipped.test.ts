import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
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
    const text = read(`packages/${name}/README.md`);
    for (const [, path = ''] of text.matchAll(/@headgate\/([\w-]+\/docs\/[\w/-]+\.md)/g))
      expect(pages.has(path), path).toBe(true);
  });
});

describe('an installed page of the docs links to what is installed', () => {
  it.each([...pages])('%s', (path, text) => {
    const targets = linksIn(text).map((link) => join(path, '..', link));
    const isReadme = (target: string) =>
      packages.some((name) => target === `${name}/README.md`) &&
      existsSync(join(root, 'packages', target));
    expect(targets.filter((target) => !pages.has(target) && !isReadme(target))).toEqual([]);
  });
});
