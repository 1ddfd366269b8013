import { type Group, groups } from './groups.ts';
import { pagesIn, read, titleOf } from './pages.ts';

interface Item {
  readonly text: string;
  readonly link: string;
}

interface Section {
  readonly text: string;
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items: (Section | Item)[];
}

const item = (page: string): Item => ({ text: titleOf(read(page)), link: `/${page}` });

/** The folders of `docs/` that the search leaves out, with their titles. */
const folders = { decisions: 'Decisions', lab: 'Lab' };

const apiReference: Item = { text: 'API of each package', link: '/api-reference/' };

function section({ title, pages, folded }: Group): Section {
  const items: (Section | Item)[] = pages.map(item);
  // With a link, since a screen reader finds a button within a button otherwise.
  if (folded !== undefined)
    items.push({ ...section(folded), link: `/${folded.pages[0]}`, collapsed: true });
  return { text: title, items };
}

/** The user pages by group, then links to the folders. */
export function sidebar(): (Section | Item)[] {
  const sections = groups.map(section);
  sections.find(({ text }) => text === 'Reference')?.items.push(apiReference);
  const links = Object.entries(folders).map(([folder, text]) => ({ text, link: `/${folder}/` }));
  return [...sections, ...links];
}

/** The pages of a folder, for the sidebar of that folder. */
export function sidebarOf(folder: keyof typeof folders): (Section | Item)[] {
  const pages = pagesIn(folder).filter((page) => page !== 'README');
  const items = pages.map((page) => item(`${folder}/${page}`));
  return [
    { text: 'Documentation', link: '/' },
    { text: folders[folder], items: [{ text: 'Overview', link: `/${folder}/` }, ...items] },
  ];
}
