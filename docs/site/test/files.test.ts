import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { userPages } from '../pages.ts';
import { redirects } from '../redirects.ts';
import { files, html, pages, site } from './built-site.ts';

const existing = new Set(files);
const decode = (text: string) => decodeURIComponent(text.replaceAll('&amp;', '&'));

/** The values of an attribute on a page. */
function values(page: string, pattern: RegExp): string[] {
  return [...html(page).matchAll(pattern)].map(([, value = '']) => decode(value));
}

const anchors = new Map(pages.map((page) => [page, new Set(values(page, /\sid="([^"]*)"/g))]));

function isBroken(page: string, link: string): boolean {
  const [path = '', anchor = ''] = link.split('#');
  const absolute = path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(page), path);
  const file = path === '' ? page : /(^|\/)$/.test(absolute) ? `${absolute}index.html` : absolute;
  if (!existing.has(file)) return true;
  return anchor !== '' && file.endsWith('.html') && !anchors.get(file)?.has(anchor);
}

describe('every link on the site leads to a page and to a heading', () => {
  it.each(pages)('%s', (page) => {
    const links = values(page, /<a\s[^>]*?href="([^"]*)"/g);
    const internal = links.filter((link) => !/^(\w+:|\/\/)/.test(link));
    expect(internal.length).toBeGreaterThan(0);
    expect(internal.filter((link) => isBroken(page, link))).toEqual([]);
  });
});

it('every user page is on the site, as a page and as Markdown', () => {
  const expected = userPages().flatMap((page) => [`${page}.html`, `${page}.md`]);
  expect(expected.filter((file) => !existing.has(file))).toEqual([]);
});

it('every user page has a description of its own', () => {
  const descriptions = userPages().map(
    (page) => values(`${page}.html`, /<meta name="description" content="([^"]*)"/g)[0],
  );
  expect(descriptions).not.toContain(undefined);
  expect(new Set(descriptions).size).toBe(descriptions.length);
});

it('the API reference has a page for each entry point', () => {
  const entries = pages.filter((page) => page.startsWith('api-reference/'));
  expect(entries).toContain('api-reference/core.http.html');
  expect(entries).toContain('api-reference/express.html');
});

it('llms.txt links to files of the site', () => {
  const index = readFileSync(join(site, 'llms.txt'), 'utf8');
  const links = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(userPages().length);
  expect(links.filter((link) => !existing.has(link))).toEqual([]);
});

it.each(Object.entries(redirects))('the earlier address %s leads to a page: %s', (from, to) => {
  expect(existing).toContain(from);
  expect(existing).toContain(to);
  expect(userPages()).not.toContain(from.replace(/\.\w+$/, ''));
});
