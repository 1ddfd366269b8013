import { type Figure, type Report, type Scenario, shown } from './scenario.ts';

/** Puts a scenario's figures into a page, where that has a mark for them. */
export function withFigures(page: string, { id, name }: Scenario, { figures }: Report): string {
  const begin = `<!-- figures: ${id} -->\n`;
  const from = page.indexOf(begin);
  const to = page.indexOf('<!-- end -->', from);
  if (from < 0 || to < 0) return page;
  return `${page.slice(0, from)}${begin}\n${table(name, figures)}\n${page.slice(to)}`;
}

function table(name: string, figures: readonly Figure[]): string {
  const isPublished = figures.some(({ published }) => published !== undefined);
  const rows = figures.map((figure) => {
    const { what, published = '–' } = figure;
    return isPublished ? [what, published, shown(figure)] : [what, shown(figure)];
  });
  const head = isPublished ? [name, 'published', 'here'] : [name, 'here'];
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
