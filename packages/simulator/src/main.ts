// npm run simulate [-- words]: runs the scenarios whose name has one of the words, or all.
import { holds } from './scenario.ts';
import { scenarios } from './scenarios/index.ts';

const words = process.argv.slice(2).map((word) => word.toLowerCase());
const isChosen = (name: string) =>
  words.length === 0 || words.some((word) => name.toLowerCase().includes(word));

for (const { name, source, run } of scenarios.filter((scenario) => isChosen(scenario.name))) {
  console.log(`\n${name}\n(${source})\n`);
  console.log(`  ${'published'.padStart(14)}${'here'.padStart(10)}`);
  for (const figure of run()) {
    const { what, published, measured } = figure;
    const here = Number.isInteger(measured) ? String(measured) : measured.toFixed(1);
    const verdict = holds(figure) ? '' : '   differs';
    if (!holds(figure)) process.exitCode = 1;
    console.log(`  ${published.padStart(14)}${here.padStart(10)}   ${what}${verdict}`);
  }
}
console.log();
