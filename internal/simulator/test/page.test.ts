import { expect, it } from 'vitest';
import { withFigures } from '../src/page.ts';
import { type Figure, figure } from '../src/scenario.ts';

const page = (inner: string) => `Before.\n<!-- figures: id -->\n${inner}<!-- end -->\nAfter.\n`;

function written(figures: readonly Figure[]): string {
  const report = { figures };
  const scenario = { id: 'id', name: 'Name', run: () => report };
  return withFigures(page('what was there\n'), scenario, report);
}

it('a single column is titled "measured", after the published values', () => {
  const published: Figure = { ...figure('a', 2, [1, 3]), published: '2.1' };
  expect(written([published, figure('b', 0.25, [0, 1])])).toBe(
    page(`
| Name | published | measured |
| --- | ---: | ---: |
| a | 2.1 | 2 |
| b | – | 0.3 |

`),
  );
});

it('several columns are written as one row', () => {
  const range = [0, 100] as const;
  const figures = [
    figure('a', 1, range, 'x'),
    figure('a', 2, range, 'y'),
    { ...figure('b', 3, range, 'y'), published: '4' },
  ];
  expect(written(figures)).toBe(
    page(`
| Name | x | y, published | y |
| --- | ---: | ---: | ---: |
| a | 1 | – | 2 |
| b | – | 4 | 3 |

`),
  );
});
