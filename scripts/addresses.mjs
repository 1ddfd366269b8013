// npm run docs -- addresses: writes the addresses of the project into the manifests and READMEs of the packages and into
// SECURITY.md. They all follow from `repository` in the package.json of the root.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file) => readFileSync(join(root, file), 'utf8');

export const { repository } = JSON.parse(read('package.json'));

const [, owner] = new URL(repository).pathname.split('/');

/** Until the owner of the repository is known, it has this name. */
export const isPlaceholder = owner === 'OWNER';

/** The folders of the packages that a release publishes. */
export const publicPackages = readdirSync(join(root, 'packages'))
  .map((name) => `packages/${name}`)
  .filter((folder) => !JSON.parse(read(`${folder}/package.json`)).private);

/** The fields of the manifest in this folder that name an address. */
export function addressesOf(folder) {
  return {
    homepage: `${repository}/tree/main/${folder}#readme`,
    bugs: `${repository}/issues`,
    repository: { type: 'git', url: `git+${repository}.git`, directory: folder },
    funding: `https://github.com/sponsors/${owner}`,
  };
}

/** The pages that name an address, apart from the manifests. */
export const pagesWithAddresses = [
  'SECURITY.md',
  ...publicPackages.map((folder) => `${folder}/README.md`),
];

function writeManifest(folder) {
  const file = `${folder}/package.json`;
  const addresses = addressesOf(folder);
  const fields = Object.entries(JSON.parse(read(file))).filter(([name]) => !(name in addresses));
  const after = fields.findIndex(([name]) => name === 'keywords') + 1;
  fields.splice(after, 0, ...Object.entries(addresses));
  writeFileSync(join(root, file), `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // A manifest still has the addresses that the pages have.
  const { bugs } = JSON.parse(read(`${publicPackages[0]}/package.json`));
  const previous = bugs.replace(/\/issues$/, '');
  for (const folder of publicPackages) writeManifest(folder);
  for (const page of pagesWithAddresses)
    writeFileSync(join(root, page), read(page).replaceAll(previous, repository));
}
