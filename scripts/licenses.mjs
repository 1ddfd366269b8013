// npm run docs -- licenses: writes THIRD-PARTY.md, the list of everything that an installed package brings along. Peers are
// missing: an application has chosen them itself.
import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundled } from './bundle.mjs';
import { manifestOf, publicPackages, root } from './packages.mjs';

/** Licenses that ask an application for no more than to keep their text. */
const allowedLicenses = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD'];

/** Why no package may depend on this one. */
export function problemsOf({ name, version, license, hasInstallScript }) {
  return [
    ...(hasInstallScript ? [`${name}@${version} has an install script`] : []),
    ...(allowedLicenses.includes(license) ? [] : [`${name}@${version} has the license ${license}`]),
  ];
}

/** The folder from which code in `folder` loads a package. */
function locate(name, folder) {
  const path = join(folder, 'node_modules', name);
  if (existsSync(path)) return realpathSync(path);
  if (dirname(folder) === folder) throw new Error(`${name} is not installed`);
  return locate(name, dirname(folder));
}

/** Adds what a package depends on, directly or not. */
function collect(folder, user, found) {
  const { dependencies = {}, devDependencies = {} } = manifestOf(folder);
  const isOurs = folder.startsWith(join(root, 'packages'));
  const contained = bundled.filter((name) => isOurs && name in devDependencies);
  for (const name of [...Object.keys(dependencies), ...contained]) {
    if (name.startsWith('@headgate/')) continue;
    const target = locate(name, folder);
    const { version, license, scripts = {} } = manifestOf(target);
    const hasInstallScript = ['preinstall', 'install', 'postinstall'].some((it) => it in scripts);
    const id = `${name}@${version}`;
    const entry = found.get(id) ?? { name, version, license, hasInstallScript, users: new Set() };
    if (entry.users.has(user)) continue;
    found.set(id, entry);
    entry.users.add(user);
    collect(target, user, found);
  }
}

/** What the public packages depend on in production, in the versions of the lock file. */
export function productionDependencies() {
  const found = new Map();
  for (const folder of publicPackages) collect(join(root, folder), manifestOf(folder).name, found);
  return [...found.keys()].sort().map((id) => found.get(id));
}

/** The text of THIRD-PARTY.md. */
export function licensesPage() {
  const rows = productionDependencies().map(
    ({ name, version, license, users }) =>
      `| ${name} | ${version} | ${license} | ${[...users].join(', ')} |`,
  );
  return `# Third-party software

What the published packages contain, and what npm installs with them, apart from the frameworks and clients that an application chooses itself.
\`npm run docs -- licenses\` writes this list from the installed dependencies; a test compares them.

| Package | Version | License | Installed with |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(join(root, 'THIRD-PARTY.md'), licensesPage());
