import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { root, userPages } from '../pages.ts';
import { indexOptions, searchOptions } from '../search.ts';
import { searchWords } from '../search-words.ts';
import { files, site } from './built-site.ts';

interface Index {
  search(query: string): { readonly id: string }[];
}

/** The library with which the site searches. */
function miniSearch(): { loadJSON(json: string, options: object): Index } {
  const require = createRequire(realpathSync(join(root, 'node_modules/vitepress/package.json')));
  const library = 'minisearch'; // a dependency of VitePress
  return require(library);
}

/** The index that a browser loads. */
async function builtIndex(): Promise<Index> {
  const file = files.find((name) => /@localSearchIndexroot\.[^/]*\.js$/.test(name)) ?? '';
  const { default: json } = await import(pathToFileURL(join(site, file)).href);
  return miniSearch().loadJSON(json, { ...indexOptions, searchOptions });
}

const index = await builtIndex();

const pageOf = (id: string) => /^\/(.*)\.html/.exec(id)?.[1];

describe('the first result is the page for the query', () => {
  it.each([
    ['rate limiting', 'migrating'],
    ['rate limiter', 'migrating'],
    ['requests per minute', 'migrating'],
    ['token bucket', 'migrating'],
    ['getting started', 'guide'],
    ['quick start', 'guide'],
    ['install', 'guide'],
    ['tutorial', 'guide'],
    ['graceful shutdown', 'shut-down'],
    ['SIGTERM', 'shut-down'],
    ['circuit breaker', 'outbound-calls'],
    ['retry', 'retry-storms'],
    ['backpressure', 'queue-and-timeout'],
    ['maxconn', 'queue-and-timeout'],
    ['how long do requests wait', 'queue-and-timeout'],
    ['bulkhead', 'limiters-in-handlers'],
    ['puppeteer', 'limiters-in-handlers'],
    ['memory leak', 'troubleshooting'],
    ['out of memory', 'guards'],
    ['per user', 'limit-per-tenant'],
    ['per ip', 'limit-per-tenant'],
    ['api key', 'limit-per-tenant'],
    ['x-forwarded-for', 'limit-per-tenant'],
    ['behind a proxy', 'limit-per-tenant'],
    ['docker', 'recipes-kubernetes'],
    ['kubernetes', 'recipes-kubernetes'],
    ['readiness probe', 'recipes-kubernetes'],
    ['throttle', 'limit-a-route'],
    ['max concurrent requests', 'limit-a-route'],
    ['noisy neighbour', 'priorities-and-fairness'],
    ['noisy neighbor', 'priorities-and-fairness'],
    ['priority queue', 'priorities-and-fairness'],
    ['fair queueing', 'priorities-and-fairness'],
    ['load shedding', 'default-limit'],
    ['adaptive concurrency', 'default-limit'],
    ['event loop lag', 'default-limit'],
    ['too many requests', 'reject-well'],
    ['429', 'reject-well'],
    ['retry-after', 'reject-well'],
    ['cors', 'reject-well'],
    ['semaphore', 'server'],
    ['distributed lock', 'server'],
    ['p-limit', 'migrating'],
    ['bottleneck', 'migrating'],
    ['express-rate-limit', 'migrating'],
    ['under-pressure', 'migrating'],
    ['overload-protection', 'migrating'],
    ['toobusy-js', 'migrating'],
    ['async-sema', 'migrating'],
    ['event loop utilization', 'shedding-by-utilization'],
    ['elu', 'shedding-by-utilization'],
    ['p-queue', 'migrating'],
    ['bullmq', 'recipes-background-jobs'],
    ['job queue', 'recipes-background-jobs'],
    ['health check', 'production'],
    ['autoscaling', 'production'],
    ['lambda', 'production'],
    ['connection pool', 'production'],
    ['redis', 'redis'],
    ['postgresql', 'postgres'],
    ['pm2', 'recipes-processes'],
    ['websocket', 'streams-and-disconnects'],
    ['streaming', 'streams-and-disconnects'],
    ['server-sent events', 'recipes-sse'],
    ['openai', 'ai'],
    ['llm', 'ai'],
    ['graphql', 'recipes-graphql-yoga'],
    ['trpc', 'recipes-trpc'],
    ['next.js', 'start-nextjs'],
    ['nuxt', 'start-nuxt'],
    ['cloudflare', 'workers'],
    ['bun', 'runtimes'],
    ['prometheus', 'metrics'],
    ['grafana', 'metrics'],
    ['opentelemetry', 'metrics'],
    ['slowloris', 'uploads-and-slow-clients'],
    ['file upload', 'uploads-and-slow-clients'],
    ['zero downtime', 'rolling-restarts'],
    ['vitest', 'testing'],
    ['supertest', 'testing'],
    ['how many concurrent requests', 'choose-your-number'],
    ['benchmark', 'performance'],
    ['sveltekit', 'web'],
    ['express', 'start-express'],
    ['fastify middleware', 'start-fastify'],
  ])('%s: %s', (query, page) => {
    const [first] = index.search(query);
    expect(first && pageOf(first.id)).toBe(page);
  });
});

it('the words that the search knows belong to pages', () => {
  expect(Object.keys(searchWords).filter((page) => !userPages().includes(page))).toEqual([]);
});

it('a query with a word that no page has finds nothing', () => {
  expect(index.search('zebra crossing')).toEqual([]);
});
