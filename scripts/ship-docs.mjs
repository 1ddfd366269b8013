// Copies the pages of docs/ into the folders `docs` of the packages that they are about, so that they are installed with
// them; all others into that of the core, which comes with every package. Links to files that are not installed become
// plain text. The build does it.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { publicPackages, root } from './packages.mjs';

/** The pages about other packages than the core. */
const pagesAbout = {
  ai: ['ai'],
  dashboard: ['dashboard'],
  'durable-object': ['workers'],
  express: ['start-express'],
  fastify: ['start-fastify'],
  fetch: ['outbound-calls'],
  hono: ['start-hono', 'start-workers'],
  koa: ['start-koa'],
  nestjs: ['start-nestjs'],
  node: ['any-server', 'start-any-server', 'start-nextjs', 'start-node', 'start-nuxt'],
  opentelemetry: ['metrics'],
  postgres: ['postgres'],
  prometheus: ['metrics'],
  redis: ['redis'],
  server: ['server'],
  'server-client': ['server'],
  'store-kit': ['api-adapters', 'api-stores', 'distributed', 'extending'],
  web: ['start-web-handlers', 'web'],
};

/** The front page, what helps to choose Headgate rather than to use it, and the list of exports, which the types have too. */
const onTheSite = [
  ...['index', 'api', 'capacity', 'clients-that-give-up', 'how-it-works', 'migrating', 'overload'],
  ...['performance', 'runtimes', 'support'],
];

const pages = readdirSync(join(root, 'docs'))
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -'.md'.length))
  .filter((page) => !onTheSite.includes(page));

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
  const text = readFileSync(join(root, `docs/${page}.md`), 'utf8');
  return text.replace(/!?\[([^\]]*)\]\(([^)\s]+)\)/g, (link, label, target) => {
    const path = pathFor(target, home);
    if (path === undefined) return label;
    return path === target ? link : `[${label}](${path})`;
  });
}

/** The target of a link in a page of the package `home`; undefined if it is not installed. */
function pathFor(target, home) {
  const [file, ...anchor] = target.split('#');
  if (/^\w+:/.test(target) || file === '') return target;
  const page = file.replace(/\.md$/, '');
  // In node_modules/@headgate/ all packages are siblings.
  if (pages.includes(page)) {
    const homes = homesOf(page);
    return homes.includes(home) ? target : `../../${homes[0]}/docs/${target}`;
  }
  const path = join('docs', file);
  const isReadme = publicPackages.some((folder) => path === `${folder}/README.md`);
  return isReadme ? [path.replace('packages', '../..'), ...anchor].join('#') : undefined;
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
