// npm run simulate [-- words]: runs the scenarios whose name has one of the words, or all; a word that ends in .ts is the file
// of one's own. --plots writes the plots and the tables of docs/overload.md, too.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withFigures } from './page.ts';
import { draw } from './plot/plot.ts';
import { holds, type Report, type Scenario, shown } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const docs = resolve(import.meta.dirname, '../../../docs');

const isWriting = process.argv.includes('--plots');
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));

for (const scenario of await chosen()) {
  const report = scenario.run();
  print(scenario, report);
  if (isWriting) write(scenario, report);
}
console.log();

async function chosen(): Promise<readonly Scenario[]> {
  if (words.length === 0) return scenarios;
  const files = words.filter((word) => word.endsWith('.ts'));
  const ofFiles = await Promise.all(
    files.map(
      (file) => import(pathToFileURL(resolve(file)).href) as Promise<{ scenario: Scenario }>,
    ),
  );
  const isNamed = ({ id, name }: Scenario) => words.some((word) => `${id} ${name}`.includes(word));
  return [...scenarios.filter(isNamed), ...ofFiles.map(({ scenario }) => scenario)];
}

function print({ id, name, source = "Headgate's own" }: Scenario, { figures }: Report): void {
  console.log(`\n${name}\n(${id}: ${source})\n`);
  console.log(`  ${'published'.padStart(14)}${'here'.padStart(10)}`);
  for (const figure of figures) {
    const { what, published = '–' } = figure;
    const verdict = holds(figure) ? '' : '   differs';
    if (!holds(figure)) process.exitCode = 1;
    console.log(`  ${published.padStart(14)}${shown(figure).padStart(10)}   ${what}${verdict}`);
  }
}

function write(scenario: Scenario, report: Report): void {
  const page = join(docs, 'overload.md');
  writeFileSync(page, withFigures(readFileSync(page, 'utf8'), scenario, report));
  if (report.plot === undefined) return;
  writeFileSync(join(docs, 'overload', `${scenario.id}.svg`), draw(report.plot));
}
