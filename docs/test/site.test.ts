import { describe, expect, it } from 'vitest';
import { repository } from '../../scripts/addresses.mjs';
import { shippedPages } from '../../scripts/ship-docs.mjs';
import { groups, pagesOf } from '../site/groups.ts';
import { siteLink } from '../site/links.ts';
import { indexForModels, MAX_TOKENS, textForModels, tokensIn } from '../site/llms.ts';
import { titleOf, userPages } from '../site/pages.ts';
import { sitemapFor } from '../site/sitemap.ts';
import { read } from './pages.ts';

describe('the pages of the site', () => {
  it('each have one place in the sidebar, by docs/site/groups.ts', () => {
    expect(groups.flatMap(pagesOf).sort()).toEqual(userPages());
  });

  it('are shipped with the packages, except the front page', () => {
    expect(shippedPages().has('core/docs/index.md')).toBe(false);
  });

  it('have their first heading as title', () => {
    expect(titleOf('text\n# The `title`\n## another')).toBe('The title');
  });
});

describe('a link of a page', () => {
  it.each([
    ['index.md', 'options.md#close', 'options.md#close'],
    ['decisions/0001-toolchain.md', '../options.md', '../options.md'],
    ['index.md', 'decisions/README.md', 'decisions/index.md'],
    ['options.md', '#close', '#close'],
    ['index.md', 'https://nodejs.org', 'https://nodejs.org'],
    ['metrics.md', 'observability/alerts.yml', 'source/docs/observability/alerts.yml.md'],
    ['ai.md', '../examples/express/tokens.ts', 'source/examples/express/tokens.ts.md'],
    ['source/examples/index.md', 'express/tokens.ts', 'express/tokens.ts.md'],
    ['source/examples/index.md', '../docs/ai.md', '../../ai.md'],
  ])('stays on the site: %s, %s', (page, link, expected) => {
    expect(siteLink(page, link)).toBe(expected);
  });

  it.each([
    ['index.md', '../README.md#status', '/blob/main/README.md#status'],
    ['index.md', '../examples', '/tree/main/examples'],
    ['decisions/README.md', '../../packages/core/README.md', '/blob/main/packages/core/README.md'],
    ['source/examples/index.md', 'checks/workers.ts', '/blob/main/examples/checks/workers.ts'],
  ])('leads to the repository: %s, %s', (page, link, expected) => {
    expect(siteLink(page, link)).toBe(repository + expected);
  });

  it('is an error if it leads nowhere', () => {
    expect(() => siteLink('index.md', '../missing.ts')).toThrow(
      'docs/index.md links to ../missing.ts',
    );
  });
});

describe('the sitemap', () => {
  it('has the address that the deployment sets', () => {
    expect(sitemapFor('https://some.host/docs/')).toEqual({ hostname: 'https://some.host/docs/' });
    expect(sitemapFor(undefined)).toBeUndefined();
    expect(sitemapFor('')).toBeUndefined();
  });

  it.each(['some.host', 'ftp://some.host'])('is an error at the address %s', (address) => {
    expect(() => sitemapFor(address)).toThrow(`it is "${address}"`);
  });
});

describe('the texts for models', () => {
  it(`llms-full.txt has at most ${MAX_TOKENS} tokens`, () => {
    expect(tokensIn(textForModels())).toBeLessThanOrEqual(MAX_TOKENS);
  });

  it('llms.txt has every user page, by a link that works in any folder of a host', () => {
    const index = indexForModels();
    expect(userPages().filter((page) => !index.includes(`](${page}.md)`))).toEqual([]);
  });

  it('llms.txt says what each page is about', () => {
    const entries = indexForModels().match(/^- .*$/gm) ?? [];
    expect(entries.filter((entry) => !/\): \S/.test(entry))).toEqual([]);
  });

  it('SKILL.md has at most 600 words', () => {
    const words = read('packages/core/SKILL.md').split(/\s+/).filter(Boolean);
    expect(words.length).toBeLessThanOrEqual(600);
  });
});
