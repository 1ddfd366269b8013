import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorOf } from '../site/anchors.ts';
import { pages, read, root } from './pages.ts';

/** The anchors of a page's headings, as GitHub and the site make them. */
function anchors(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

function isBroken(page: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page : normalize(join(dirname(page), file));
  if (!existsSync(join(root, target))) return true;
  return anchor !== undefined && !anchors(target).includes(anchor);
}

describe('the links between the pages are valid', () => {
  it.each(pages)('%s', (page) => {
    const links = [...read(page).matchAll(/\]\(([^)\s]*)\)/g)].map(([, link = '']) => link);
    const local = links.filter((link) => !/^\w+:/.test(link));
    expect(local).not.toContain('');
    expect(local.filter((link) => isBroken(page, link))).toEqual([]);
  });
});

it.each(pages)(
  'each table of %s has its rows next to its head, or GitHub shows them as text',
  (page) => {
    const text = read(page).replace(/^```.*?^```/gms, '');
    expect(text.match(/^\| -{3}.*\n\n+\|.*$/gm) ?? []).toEqual([]);
  },
);
