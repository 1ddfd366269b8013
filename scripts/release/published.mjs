// npm run docs -- published: before the first release, removes from the documentation that the packages are not on npm.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The pages that say it. A release is refused as long as one of them does. */
export const pages = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const SENTENCE = 'Not\\s+on\\s+npm\\s+yet: \\[[^\\]]*\\]\\([^)]*\\)\\.';

/** Whether a page says that the packages are not on npm. */
export function isUnpublished(text) {
  return /not\s+on\s+npm\s+yet|\(not released yet\)/i.test(text);
}

/** A page as it is after the first release. */
export function published(text) {
  return (
    text
      .replace(/<!-- until it is published -->.*?<!-- end -->\n\n/s, '')
      .replace(/[^\S\n]*# not on npm yet: .*$/m, '')
      // A whole paragraph, then the first sentence of one, then any other sentence.
      .replace(new RegExp(`\\n\\n${SENTENCE}(?=\\n\\n)`, 'g'), '')
      .replace(new RegExp(`(\\n\\n)${SENTENCE} `, 'g'), '$1')
      .replace(new RegExp(`\\s+${SENTENCE}`, 'g'), '')
      .replace(/^(## \S+) \(not released yet\)$/m, '$1')
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const page of pages) {
    const text = readFileSync(page, 'utf8');
    if (isUnpublished(text)) writeFileSync(page, published(text));
  }
}
