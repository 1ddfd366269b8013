import { readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withFigures } from '../src/page.ts';
import { pagesOf, plotOf } from '../src/pages.ts';
import { draw } from '../src/plot/plot.ts';
import { holds } from '../src/scenario.ts';
import { scenarios } from '../src/scenarios.ts';

// To update the page and the plots: npm run simulate -- scenarios --plots

describe.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
  '%s',
  (_, scenario) => {
    const report = scenario.run();

    it('yields the expected figures', () => {
      expect(report.figures.length).toBeGreaterThan(0);
      expect(report.figures.filter((figure) => !holds(figure))).toEqual([]);
    });

    const [file = '', ...others] = pagesOf(scenario);
    const page = file === '' ? '' : readFileSync(file, 'utf8');

    it('is documented on one page with these figures', () => {
      expect(page).toContain(`<!-- figures: ${scenario.id} -->`);
      expect(others).toEqual([]);
      expect(withFigures(page, scenario, report)).toBe(page);
    });

    const { plot } = report;
    if (plot === undefined) return;

    it('is documented with this plot', () => {
      expect(page).toContain(`(${relative(dirname(file), plotOf(scenario))})`);
      expect(draw(plot)).toBe(readFileSync(plotOf(scenario), 'utf8'));
    });
  },
);
