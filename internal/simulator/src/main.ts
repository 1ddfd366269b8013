// npm run simulate -- scenarios [words]: runs the scenarios whose name contains one of the words, or all of them. A word that
// ends in .ts is the file of a scenario. --plots also writes the plots and the tables of the pages.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { withFigures } from './page.ts';
import { pagesOf, plotOf } from './pages.ts';
import { draw } from './plot/plot.ts';
import { holds, type Report, type Scenario, shown } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { plots: { type: 'boolean', default: false } },
});

const chosen = words.length === 0 ? scenarios : (await Promise.all(words.map(named))).flat();
for (const scenario of new Set(chosen)) {
  const report = scenario.run();
  print(scenario, report);
  if (options.plots) write(scenario, report);
}
console.log();

async function named(word: string): Promise<readonly Scenario[]> {
  if (word.endsWith('.ts')) {
    const file = (await import(pathToFileURL(resolve(word)).href)) as { scenario: Scenario };
    return [file.scenario];
  }
  const found = scenarios.filter(({ id, name }) => `${id} ${name}`.includes(word));
  if (found.length > 0) return found;
  const ids = scenarios.map(({ id }) => id).join(', ');
  throw new Error(`no scenario has "${word}" in its name: there are ${ids}`);
}

function print(
  { id, name: title, source = "Headgate's own" }: Scenario,
  { figures }: Report,
): void {
  console.log(`\n${title}\n(${id}: ${source})\n`);
  console.log(`  ${'published'.padStart(14)}${'measured'.padStart(10)}`);
  for (const figure of figures) {
    const { what, column, published = '–' } = figure;
    const name = column === undefined ? what : `${what}: ${column}`;
    const verdict = holds(figure) ? '' : '   differs';
    if (!holds(figure)) process.exitCode = 1;
    console.log(`  ${published.padStart(14)}${shown(figure).padStart(10)}   ${name}${verdict}`);
  }
}

function write(scenario: Scenario, report: Report): void {
  for (const page of pagesOf(scenario)) {
    writeFileSync(page, withFigures(readFileSync(page, 'utf8'), scenario, report));
  }
  if (report.plot !== undefined) writeFileSync(plotOf(scenario), draw(report.plot));
}
