import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withFigures } from '../src/page.ts';
import { draw } from '../src/plot/plot.ts';
import { holds } from '../src/scenario.ts';
import { scenarios } from '../src/scenarios.ts';

const docs = resolve(import.meta.dirname, '../../../docs');
const page = readFileSync(join(docs, 'overload.md'), 'utf8');

// What differs here is written anew by: npm run simulate -- --plots

describe.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
  '%s',
  (_, scenario) => {
    const report = scenario.run();

    it('comes to what is expected', () => {
      expect(report.figures.length).toBeGreaterThan(0);
      expect(report.figures.filter((figure) => !holds(figure))).toEqual([]);
    });

    it('is told in docs/overload.md with these figures', () => {
      expect(page).toContain(`<!-- figures: ${scenario.id} -->`);
      expect(withFigures(page, scenario, report)).toBe(page);
    });

    const { plot } = report;
    if (plot === undefined) return;

    it('has this plot there', () => {
      expect(page).toContain(`(overload/${scenario.id}.svg)`);
      const drawn = readFileSync(join(docs, 'overload', `${scenario.id}.svg`), 'utf8');
      expect(draw(plot)).toBe(drawn);
    });
  },
);
