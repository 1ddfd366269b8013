import type { PageSection } from './page-sections.ts';

const settings = 'Settings';
const rejection = 'The cost of one rejection';

/** The title of the table with the values of the limit, which the page omits. */
const limitInEachPhase = 'the limit in each phase';

/** The options with which a rejection costs something else. */
const differs: readonly string[] = ['--own-connections', '--host'];

/** The page with the settings and the cost of one rejection of one run, which are those of all sections. */
export function withCommonTables(page: string, results: string): string {
  const tables = tablesOf(results);
  return [settings, rejection].reduce(
    (written, title) => replaced(written, title, tables.get(title) ?? ''),
    page,
  );
}

/**
 * The page with the tables of one run under a heading, which is added if the page lacks it. The text before and after
 * the tables of that section stays.
 * The cost of one rejection is repeated where it differs.
 */
export function withSection(
  page: string,
  { heading, words }: Pick<PageSection, 'heading' | 'words'>,
  results: string,
): string {
  const tables = tablesOf(results);
  // It measures other servers.
  if (!words.includes('--spike')) tables.delete(settings);
  if (!words.some((word) => differs.includes(word))) tables.delete(rejection);
  const blocks = [...tables].map(([title, table]) => `**${sentence(title)}**\n\n${table}`);
  const withHeading = headingIn(page, heading) < 0 ? `${page.trimEnd()}\n\n## ${heading}\n` : page;
  return replaced(withHeading, heading, blocks.join('\n\n'));
}

/** The tables that the benchmark wrote, by title, with the notes below each. */
function tablesOf(results: string): Map<string, string> {
  const [, ...sections] = `\n${results}`.split('\n### ');
  const named = sections.map((section): [string, string] => {
    const end = section.indexOf('\n');
    return [section.slice(0, end), withoutGoals(section.slice(end).trim())];
  });
  return new Map(named.filter(([title]) => !title.includes(limitInEachPhase)));
}

/** The page omits goals: its readers compare the rows. */
function withoutGoals(table: string): string {
  const blocks = table.split('\n\n');
  return blocks.filter((block) => !block.startsWith('| goal |')).join('\n\n');
}

/** The title without the kind of handler, which the heading names. */
function sentence(title: string): string {
  const words = title.replace(/^[a-z-]+: /, '');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function headingIn(page: string, heading: string): number {
  return page.search(new RegExp(`^#+ ${heading}$`, 'm'));
}

/** Replaces what is between the first and the last table under a heading. */
function replaced(page: string, heading: string, tables: string): string {
  const start = headingIn(page, heading);
  if (start < 0) throw new Error(`the page has no heading "${heading}"`);
  const body = page.indexOf('\n', start);
  const next = page.slice(body).search(/^#+ /m);
  const end = next < 0 ? page.length : body + next;
  const lines = page.slice(body, end).trim().split('\n');
  const first = lines.findIndex((line) => line.startsWith('**') || line.startsWith('|'));
  const last = lines.findLastIndex((line) => line.startsWith('|'));
  const before = first < 0 ? lines : lines.slice(0, first);
  const after = first < 0 ? [] : lines.slice(last + 1);
  const section = [before.join('\n').trim(), tables, after.join('\n').trim()].filter(Boolean);
  return `${page.slice(0, body)}\n\n${section.join('\n\n')}\n${next < 0 ? '' : '\n'}${page.slice(end)}`;
}
