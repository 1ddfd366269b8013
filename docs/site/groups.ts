/** A part of the sidebar. */
export interface Group {
  readonly title: string;
  /** The file names of its pages without `.md`, in their order; `*` stands for any text, and such pages are sorted. */
  readonly pages: readonly string[];
}

/** The pages of `docs/` by their place in the sidebar. A page belongs to the first entry that matches its name. */
export const groups: readonly Group[] = [
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
  { title: 'Why', pages: ['how-it-works', 'overload', 'performance', 'migrating'] },
];

function matches(pattern: string, page: string): boolean {
  return pattern.endsWith('*') ? page.startsWith(pattern.slice(0, -1)) : page === pattern;
}

/** The position of a page in the group; -1 if it belongs to another one. */
function positionIn(group: Group, page: string): number {
  return group.pages.findIndex((pattern) => matches(pattern, page));
}

/** The group of a page (a file name without `.md`); undefined if the table has no entry for it. */
export function groupOf(page: string): Group | undefined {
  return groups.find((group) => positionIn(group, page) >= 0);
}

/** The pages of a group, in their order. */
export function pagesOf(group: Group, pages: readonly string[]): string[] {
  return pages
    .filter((page) => groupOf(page) === group)
    .sort((a, b) => positionIn(group, a) - positionIn(group, b) || (a < b ? -1 : 1));
}
