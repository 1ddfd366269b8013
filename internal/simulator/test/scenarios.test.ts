import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withFigures } from '../src/page.ts';
import { draw } from '../src/plot/plot.ts';
import { holds } from '../src/scenario.ts';
import { scenarios } from '../src/scenarios.ts';

const docs = resolve(import.meta.dirname, '../../../docs');
const page = readFileSync(join(docs, 'overload.md'), 'utf8');

// To update the page and the plots: npm run simulate -- scenarios --plots

describe.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
  '%s',
  (_, scenario) => {
    const report = scenario.run();

    it('yields the expected figures', () => {
      expect(report.figures.length).toBeGreaterThan(0);
      expect(report.figures.filter((figure) => !holds(figure))).toEqual([]);
    });

    it('is documented in docs/overload.md with these figures', () => {
      expect(page).toContain(`<!-- figures: ${scenario.id} -->`);
      expect(withFigures(page, scenario, report)).toBe(page);
    });

    const { plot } = report;
    if (plot === undefined) return;

    it('is documented with this plot', () => {
      expect(page).toContain(`(overload/${scenario.id}.svg)`);
      const drawn = readFileSync(join(docs, 'overload', `${scenario.id}.svg`), 'utf8');
      expect(draw(plot)).toBe(drawn);
    });
  },
);
