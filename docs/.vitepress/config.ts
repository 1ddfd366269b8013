import { defineConfig } from 'vitepress';
import { repository } from '../../scripts/addresses.mjs';
import { anchorOf } from '../site/anchors.ts';
import { inlineDiagrams } from '../site/diagrams.ts';
import { withoutEmptyHeaders } from '../site/empty-headers.ts';
import { summaryOf } from '../site/llms.ts';
import { userPages } from '../site/pages.ts';
import { rewriteLinks } from '../site/rewrite-links.ts';
import { indexOptions, NO_RESULTS, searchOptions } from '../site/search.ts';
import { sidebar, sidebarOf } from '../site/sidebar.ts';
import { sitemapFor } from '../site/sitemap.ts';
import { tabGroups } from '../site/tab-groups.ts';

/** Pages that the search leaves out: they are for readers who look for a decision, a measurement or an example. */
const UNSEARCHED = /^(decisions|lab|source)\//;

export default defineConfig({
  title: 'Headgate',
  description: 'Concurrency limits and load shedding for Node servers',
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/favicon.svg' }]],
  transformPageData(page) {
    const name = page.filePath.replace(/\.md$/, '');
    if (userPages().includes(name)) page.description = summaryOf(name);
  },
  // What a chat or a forum shows of a link to the page.
  transformHead: ({ title, description }) => [
    ['meta', { property: 'og:type', content: 'article' }],
    ['meta', { property: 'og:site_name', content: 'Headgate' }],
    ['meta', { property: 'og:title', content: title }],
    ['meta', { property: 'og:description', content: description }],
  ],
  sitemap: sitemapFor(process.env.SITE_URL),
  srcDir: '.',
  // Shown as tabs of the pages that link to them; texts for the maintainers.
  srcExclude: ['tabs/**', 'adoption/**'],
  outDir: '../out/site',
  cacheDir: '../out/site-cache',
  rewrites: {
    'decisions/README.md': 'decisions/index.md',
    'lab/README.md': 'lab/index.md',
  },
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      tabGroups(md);
      rewriteLinks(md);
      inlineDiagrams(md);
      withoutEmptyHeaders(md);
    },
  },
  vite: {
    // Vite 5's own target is Safari 14, for which the esbuild of this repository does not compile.
    build: { target: 'es2022' },
    // The playground is bundled from the sources.
    resolve: { conditions: ['headgate-source'] },
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        miniSearch: { options: indexOptions, searchOptions },
        translations: { modal: { noResultsText: NO_RESULTS } },
        _render: (text, env, md) => (UNSEARCHED.test(env.relativePath) ? '' : md.render(text, env)),
      },
    },
    sidebar: {
      '/': sidebar(),
      '/decisions/': sidebarOf('decisions'),
      '/lab/': sidebarOf('lab'),
    },
    outline: [2, 3],
    nav: [
      { text: 'Get started', link: '/guide' },
      { text: 'Examples', link: '/source/examples/' },
      { text: 'Repository', link: repository },
    ],
    externalLinkIcon: true,
    notFound: {
      title: 'There is no such page',
      quote: 'It may have been renamed. Search for its subject, or begin with “Get started” above.',
      linkLabel: 'Go to the first page',
      linkText: 'Go to the first page',
    },
  },
});
