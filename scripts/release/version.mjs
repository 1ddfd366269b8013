// node scripts/release/version.mjs: moves the notes in .changeset to a new section of CHANGELOG.md, and writes the new version
// into every package. All packages share one version, and therefore one changelog.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import releasePlan from '@changesets/get-release-plan';
import { manifestOf, publicPackages } from '../packages.mjs';
import { nextVersion } from './next-version.mjs';

const kinds = { major: 'Breaking changes', minor: 'Features', patch: 'Fixes' };

const { changesets } = await releasePlan(process.cwd());
const types = changesets.map(kindOf).filter(Boolean);
if (types.length === 0) {
  console.error('There are no notes in .changeset.');
  process.exit(1);
}
const version = nextVersion(manifestOf(publicPackages[0]).version, types);

/** A list entry, prefixed with the names of its packages. */
function entry({ summary, releases: about }) {
  const names = about.map(({ name }) => name.replace('@headgate/', ''));
  const [first, ...others] = summary.trim().split('\n');
  const rest = others.map((line) => (line === '' ? '' : `  ${line}`));
  return [`- **${names.join(', ')}**: ${first}`, ...rest].join('\n');
}

/** The largest change of any package determines a note's section. */
function kindOf({ releases: about }) {
  return Object.keys(kinds).find((kind) => about.some(({ type }) => type === kind));
}

const sections = Object.entries(kinds).flatMap(([kind, title]) => {
  const entries = changesets.filter((changeset) => kindOf(changeset) === kind).map(entry);
  return entries.length > 0 ? [`### ${title}\n\n${entries.join('\n')}`] : [];
});
const changelog = readFileSync('CHANGELOG.md', 'utf8');
// After the introduction, before the latest version.
const at = `${changelog}\n## `.indexOf('\n## ');
const section = `\n## ${version}\n\n${sections.join('\n\n')}\n`;
writeFileSync('CHANGELOG.md', changelog.slice(0, at) + section + changelog.slice(at));

for (const folder of publicPackages) {
  const manifest = { ...manifestOf(folder), version };
  writeFileSync(`${folder}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
}
for (const { id } of changesets) rmSync(`.changeset/${id}.md`);
