// A part of npm run lint: reports the phrases of docs/prose.yml in the documentation, and in the comments and strings of
// the sources.
import { createLinter, loadLinterFormatter, loadTextlintrc } from 'textlint';
import sources from './prose-of-sources.mjs';

const files = [
  '{.,.changeset}/*.{md,ts,mjs}',
  '{docs,scripts,examples}/**/*.{md,ts,js,mjs}',
  '{internal,packages}/*/*.md',
  '{bench,internal/*,packages/*}/{src,test,ui,bin}/**/*.{ts,js}',
];

const descriptor = await loadTextlintrc();
const { plugins } = descriptor.toKernelOptions();
const linter = createLinter({
  descriptor: descriptor.shallowMerge({
    plugins: [...plugins, { pluginId: 'sources', plugin: sources }],
  }),
});
const formatter = await loadLinterFormatter({ formatterName: 'unix' });
const report = formatter.format(await linter.lintFiles(files));
if (report) {
  console.error(report.replaceAll(`${process.cwd()}/`, ''));
  process.exitCode = 1;
}
