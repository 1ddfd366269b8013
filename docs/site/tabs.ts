import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchorOf } from './anchors.ts';
import { docs, pagesIn } from './pages.ts';

/** The same code for another framework. */
export interface Tab {
  readonly label: string;
  /** Markdown: blocks of code. */
  readonly text: string;
}

/** A link of a page to the code for other frameworks: a file of `docs/tabs`, and a heading in it. */
export const TABS_LINK = /^tabs\/([\w-]+)\.md#([\w-]+)$/;

/** The framework of the code in the pages themselves. */
export const FIRST_FRAMEWORK = 'Express';

/**
 * The tabs that a link of a page leads to.
 *
 * @throws if the file or the heading does not exist, or has no tabs.
 */
export function tabsAt(link: string): readonly Tab[] {
  const [, page = '', anchor = ''] = TABS_LINK.exec(link) ?? [];
  const file = join(docs, 'tabs', `${page}.md`);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const section = text
    .split(/^## /m)
    .slice(1)
    .find((part) => anchorOf(part.split('\n', 1)[0] ?? '') === anchor);
  const tabs = (section ?? '').split(/^### /m).slice(1).map(tabOf);
  if (tabs.length === 0) throw new Error(`docs/${link} has no tabs.`);
  return tabs;
}

function tabOf(part: string): Tab {
  const end = part.indexOf('\n');
  return { label: part.slice(0, end), text: part.slice(end).trim() };
}

/** The files with tabs, as paths in `docs/` without `.md`. */
export function tabFiles(): string[] {
  return pagesIn('tabs').map((page) => `tabs/${page}`);
}
