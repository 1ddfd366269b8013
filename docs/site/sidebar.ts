import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { groups, pagesOf } from './groups.ts';
import { docs, pagesIn, read, titleOf, userPages } from './pages.ts';

interface Item {
  readonly text: string;
  readonly link: string;
}

interface Section {
  readonly text: string;
  readonly items: Item[];
  readonly collapsed?: boolean;
}

const item = (page: string): Item => ({ text: titleOf(read(page)), link: `/${page}` });

const apiReference: Item = { text: 'API of each package', link: '/api-reference/' };

/** The user pages by group, then links to the folders that the search leaves out. */
export function sidebar(): (Section | Item)[] {
  const pages = userPages();
  const sections = groups.map((group) => {
    const items = pagesOf(group, pages).map(item);
    if (group.title === 'Reference') items.push(apiReference);
    return { text: group.title, items };
  });
  const folders = ['decisions', 'lab'].filter((folder) => existsSync(join(docs, folder)));
  return [
    ...sections.filter(({ items }) => items.length > 0),
    ...folders.map((folder) => ({
      text: folder === 'lab' ? 'Lab' : 'Decisions',
      link: `/${folder}/`,
    })),
  ];
}

/** The pages of a folder, for the sidebar of that folder. */
export function sidebarOf(folder: string, title: string): (Section | Item)[] {
  if (!existsSync(join(docs, folder))) return [];
  const pages = pagesIn(folder).filter((page) => page !== 'README');
  const items = pages.map((page) => item(`${folder}/${page}`));
  return [
    { text: 'Documentation', link: '/' },
    { text: title, items: [{ text: 'Overview', link: `/${folder}/` }, ...items] },
  ];
}
