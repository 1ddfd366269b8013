import { userPages } from './pages.ts';

/** A part of the sidebar. */
export interface Group {
  readonly title: string;
  /** The file names of its pages without `.md`. */
  readonly pages: readonly string[];
}

/** The pages of `docs/` by their place in the sidebar; `*` stands for any text, and such pages are sorted. */
const table: readonly Group[] = [
  { title: 'Start', pages: ['frameworks', 'start-*'] },
  {
    title: 'Tasks',
    pages: [
      'guide',
      'default-limit',
      'limit-a-route',
      'limit-per-tenant',
      'several-limits',
      'queue-and-timeout',
      'reject-well',
      'priorities-and-fairness',
      'guards',
      'streams-and-disconnects',
      'uploads-and-slow-clients',
      'limiters-in-handlers',
      'outbound-calls',
      'load-balancers',
      'choose-your-number',
      'distributed',
      'testing',
    ],
  },
  { title: 'Recipes', pages: ['ai', 'recipes-*'] },
  {
    title: 'Operate',
    pages: [
      'production',
      'metrics',
      'dashboard',
      'shut-down',
      'rolling-restarts',
      'troubleshooting',
      'capacity',
      'server',
    ],
  },
  {
    title: 'Reference',
    pages: [
      'options',
      'errors',
      'redis',
      'postgres',
      'any-server',
      'web',
      'workers',
      'runtimes',
      'support',
      'api',
      'api-adapters',
      'api-stores',
      'extending',
    ],
  },
  {
    title: 'Why',
    pages: ['how-it-works', 'clients-that-give-up', 'overload', 'performance', 'migrating'],
  },
];

function pagesFor(pattern: string): string[] {
  if (!pattern.endsWith('*')) return [pattern];
  return userPages().filter((page) => page.startsWith(pattern.slice(0, -1)));
}

/** The groups with their pages, in their order. */
export const groups: readonly Group[] = table.map(({ title, pages }) => ({
  title,
  pages: pages.flatMap(pagesFor),
}));
