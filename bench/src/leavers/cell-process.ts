import type { Measure } from './measure-cells.ts';

/** Measures one cell of a table in its own process, and reports its figures. */
const [part, cell = ''] = process.argv.slice(2);
const { measure } = (await import(`./${part}/measure.js`)) as { measure: Measure<unknown, object> };
process.send?.(await measure(JSON.parse(cell)), () => process.exit());
