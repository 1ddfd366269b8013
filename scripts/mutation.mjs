// npm run test:mutation [-- folder...]: mutates these folders of the core (default: all), and prints a score for each.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { parts } from '../stryker.config.mjs';

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
const unknown = chosen.filter((part) => !Object.hasOwn(parts, part));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. There are ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}

/** Counts the mutants of these files in a report, by whether a test detected them. */
function count(files) {
  const statuses = Object.values(files).flatMap(({ mutants }) => mutants.map((one) => one.status));
  const of = (...names) => statuses.filter((status) => names.includes(status)).length;
  return { detected: of('Killed', 'Timeout'), survived: of('Survived'), missed: of('NoCoverage') };
}

function row(name, { detected, survived, missed }) {
  const mutants = detected + survived + missed;
  const score = ((100 * detected) / mutants).toFixed(1);
  return `| ${name} | ${mutants} | ${detected} | ${survived} | ${missed} | ${score} % |`;
}

const total = { detected: 0, survived: 0, missed: 0 };
const rows = [];

for (const part of chosen) {
  const report = `out/mutation/${part}.json`;
  rmSync(report, { force: true });
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/@stryker-mutator/core/bin/stryker.js', 'run'],
    { stdio: 'inherit', env: { ...process.env, HEADGATE_MUTATED: part } },
  );
  // The score is below the minimum, or a test fails without a mutation.
  if (status !== 0) process.exitCode = 1;
  if (!existsSync(report)) continue;
  const counts = count(JSON.parse(readFileSync(report, 'utf8')).files);
  for (const key of Object.keys(total)) total[key] += counts[key];
  rows.push(row(`\`${part}\``, counts));
}

if (chosen.length > 1) rows.push(row('all', total));
console.log('| Folder | Mutants | Detected | Survived | Not covered | Score |');
console.log(`| --- | ---: | ---: | ---: | ---: | ---: |\n${rows.join('\n')}`);
