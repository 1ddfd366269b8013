import { expect, it } from 'vitest';
import { read } from '../../../docs/test/pages.ts';
import { isUnpublished, pages, published } from '../../release/published.mjs';

const unpublished = pages.filter((page) => isUnpublished(read(page)));

it.each(unpublished)('%s says after the first release that the packages are on npm', (page) => {
  expect(isUnpublished(published(read(page)))).toBe(false);
});

it('nothing else of a page changes', () => {
  expect(published('Express 5. Not on npm\nyet: [install it](x.md).\n\nText\n')).toBe(
    'Express 5.\n\nText\n',
  );
  expect(published('Text\n\nNot on npm yet: [install it](x.md).\n\n- Text\n')).toBe(
    'Text\n\n- Text\n',
  );
  expect(published('Text. Not on npm yet: [install it](x.md). More.\n')).toBe('Text. More.\n');
  expect(published('Text\n\nNot on npm yet: [install it](x.md). More.\n')).toBe('Text\n\nMore.\n');
  expect(published('npm install a   # not on npm yet: see below\n')).toBe('npm install a\n');
  expect(published('## 0.1.0 (not released yet)\n')).toBe('## 0.1.0\n');
});
