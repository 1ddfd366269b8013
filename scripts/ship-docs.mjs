// Copies the pages of docs/ into the folders `docs` of the packages that they are about, so that they are installed with
// them; all others into that of the core, which comes with every package. Links to files that are not installed become
// plain text. The build does it.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { publicPackages, root } from './packages.mjs';

/** The pages about other packages than the core. */
const pagesAbout = {
  ai: ['ai'],
  dashboard: ['dashboard'],
  'durable-object': ['workers'],
  express: ['start-express'],
  fastify: ['start-fastify'],
  fetch: ['outbound-calls', 'retry-storms'],
  hono: ['start-hono'],
  koa: ['start-koa'],
  nestjs: ['start-nestjs'],
  node: ['any-server', 'start-nextjs', 'start-node', 'start-nuxt'],
  opentelemetry: ['metrics'],
  postgres: ['postgres'],
  prometheus: ['metrics'],
  redis: ['redis'],
  server: ['server'],
  'server-client': ['server'],
  'store-kit': ['authors/api-adapters', 'authors/api-stores', 'authors/extending', 'distributed'],
  web: ['web'],
};

/**
 * The front page, what helps to choose Headgate rather than to use it, the list of exports, which the types have too, and
 * the settings of proxies and databases.
 */
const onTheSite = [
  ...['index', 'api', 'capacity', 'clients-that-give-up', 'how-it-works', 'migrating', 'overload'],
  ...[
    'load-balancers',
    'performance',
    'recipes-cancel-queries',
    'recipes-kubernetes',
    'recipes-nginx-haproxy',
    'rolling-restarts',
    'shedding-by-utilization',
    'runtimes',
    'support',
  ],
];

/** The shipped pages, by their paths in `docs` without a suffix. */
const pages = ['', 'authors/']
  .flatMap((folder) => readdirSync(join(root, 'docs', folder)).map((name) => folder + name))
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -'.md'.length))
  .filter((page) => !onTheSite.includes(page));

/** A line that leads to the code for other frameworks, which only the site shows. */
const otherFrameworks = /^\[Other frameworks\]\(tabs\/.*\)\n\n?/gm;

/** The packages that a page is shipped with. */
function homesOf(page) {
  const homes = Object.keys(pagesAbout).filter((name) => pagesAbout[name].includes(page));
  return homes.length === 0 ? ['core'] : homes;
}

/**
 * The shipped pages, by their paths below `packages`, such as `core/docs/options.md`.
 *
 * @returns {Map<string, string>}
 */
export function shippedPages() {
  const shipped = pages.flatMap((page) => homesOf(page).map((home) => [home, page]));
  return new Map(shipped.map(([home, page]) => [`${home}/docs/${page}.md`, textFor(home, page)]));
}

function textFor(home, page) {
  const text = readFileSync(join(root, `docs/${page}.md`), 'utf8').replace(otherFrameworks, '');
  return text.replace(/!?\[([^\]]*)\]\(([^)\s]+)\)/g, (link, label, target) => {
    const path = pathFor(target, home, page);
    if (path === undefined) return label;
    return path === target ? link : `[${label}](${path})`;
  });
}

/** The target of a link in a page that the package `home` ships; undefined if it is not installed. */
function pathFor(target, home, page) {
  const [file, ...anchor] = target.split('#');
  if (/^\w+:/.test(target) || file === '') return target;
  const path = posix.join('docs', posix.dirname(page), file);
  const linked = path.slice('docs/'.length).replace(/\.md$/, '');
  if (pages.includes(linked)) {
    const homes = homesOf(linked);
    const up = page.includes('/') ? '../../../' : '../../';
    return homes.includes(home) ? target : [`${up}${homes[0]}/${path}`, ...anchor].join('#');
  }
  const isReadme = publicPackages.some((folder) => path === `${folder}/README.md`);
  return isReadme
    ? [path.replace('packages', page.includes('/') ? '../../..' : '../..'), ...anchor].join('#')
    : undefined;
}

/** Writes the pages into the packages. */
export function shipDocs() {
  for (const folder of publicPackages)
    rmSync(join(root, folder, 'docs'), { recursive: true, force: true });
  for (const [path, text] of shippedPages()) {
    mkdirSync(dirname(join(root, 'packages', path)), { recursive: true });
    writeFileSync(join(root, 'packages', path), text);
  }
}
