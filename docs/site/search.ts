import { searchWords } from './search-words.ts';

/** A section of a page, as VitePress adds it to the index. */
interface Section {
  readonly id: string;
  readonly text: string;
  readonly title: string;
  /** The titles of the sections around it; the first section of a page has none. */
  readonly titles: readonly string[];
}

/** The words for which the search finds a section, although it does not contain them. */
function wordsOf({ id, titles }: Section): string {
  const [, page = ''] = /^\/([\w-]+)\.html/.exec(id) ?? [];
  return titles.length === 0 ? (searchWords[page] ?? '') : '';
}

/** How the index is built. */
export const indexOptions = {
  fields: ['title', 'titles', 'text', 'words'],
  storeFields: ['title', 'titles'],
  extractField: (section: Section, field: string) =>
    field === 'words' ? wordsOf(section) : section[field as keyof Section],
};

/** How the index is searched. VitePress writes functions of the configuration into the page, so they stand alone. */
export const searchOptions = {
  combineWith: 'AND' as const,
  prefix: true,
  // A word of five letters or fewer has too many neighbours: "rate" would find "gate".
  fuzzy: (term: string) => (term.length > 5 ? 0.2 : false),
  boost: { title: 4, words: 8, text: 1, titles: 1 },
  // Words of a question that no page is about.
  processTerm: (term: string) =>
    /^(a|an|and|are|at|can|do|does|for|from|how|i|in|is|it|my|of|on|or|the|to|vs|what|when|with)$/i.test(
      term,
    )
      ? null
      : term.toLowerCase(),
};

/** What a search without a result says before the quoted query. */
export const NO_RESULTS =
  'Try fewer or other words, such as queue, limit, timeout, tenant, overload or 503; or open “Get started”. No page matches';
