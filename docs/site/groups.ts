import { userPages } from './pages.ts';

/** A part of the sidebar. */
export interface Group {
  readonly title: string;
  /** The file names of its pages without `.md`. */
  readonly pages: readonly string[];
  /** More pages, which the sidebar shows when the reader opens them. */
  readonly folded?: Group;
}

/** The pages of `docs/` by their place in the sidebar; `*` stands for any text, and such pages are sorted. */
const table: readonly Group[] = [
  {
    title: 'Start',
    pages: ['guide', 'default-limit', 'choose-your-number'],
    folded: {
      title: 'Frameworks',
      pages: ['frameworks', 'start-*', 'any-server', 'web', 'workers'],
    },
  },
  {
    title: 'Tasks',
    pages: [
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
      'retry-storms',
      'load-balancers',
      'ai',
      'distributed',
      'testing',
    ],
    folded: { title: 'Recipes', pages: ['recipes-*'] },
  },
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
    pages: ['options', 'errors', 'redis', 'postgres', 'runtimes', 'support', 'api'],
    folded: {
      title: 'For authors',
      pages: ['authors/extending', 'authors/api-adapters', 'authors/api-stores'],
    },
  },
  {
    title: 'Why',
    pages: [
      'how-it-works',
      'clients-that-give-up',
      'shedding-by-utilization',
      'overload',
      'performance',
      'migrating',
    ],
  },
];

function pagesFor(pattern: string): string[] {
  if (!pattern.endsWith('*')) return [pattern];
  return userPages().filter((page) => page.startsWith(pattern.slice(0, -1)));
}

const withPages = ({ title, pages, folded }: Group): Group => ({
  title,
  pages: pages.flatMap(pagesFor),
  ...(folded === undefined ? {} : { folded: withPages(folded) }),
});

/** The groups with their pages, in their order. */
export const groups: readonly Group[] = table.map(withPages);

/** All pages of a group. */
export function pagesOf({ pages, folded }: Group): string[] {
  return [...pages, ...(folded === undefined ? [] : pagesOf(folded))];
}
