// npm run docs -- addresses: writes the addresses of the project into the manifests and READMEs of the packages and into
// SECURITY.md. They all follow from `repository` in the package.json of the root, which also has the common keywords.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file) => readFileSync(join(root, file), 'utf8');

const manifestOf = (folder) => JSON.parse(read(`${folder}/package.json`));

export const { repository, keywords: commonKeywords } = manifestOf('.');

const [, owner] = new URL(repository).pathname.split('/');

/** Until the owner of the repository is known, it has this name. */
export const isPlaceholder = owner === 'OWNER';

/** The folders of the packages that a release publishes. */
export const publicPackages = readdirSync(join(root, 'packages'))
  .map((name) => `packages/${name}`)
  .filter((folder) => !manifestOf(folder).private);

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
  const { name, version, description, keywords, ...rest } = manifestOf(folder);
  const own = keywords.filter((word) => !commonKeywords.includes(word));
  const addresses = addressesOf(folder);
  const others = Object.entries(rest).filter(([field]) => !(field in addresses));
  const manifest = {
    ...{ name, version, description, keywords: [...commonKeywords, ...own] },
    ...{ ...addresses, ...Object.fromEntries(others) },
  };
  writeFileSync(join(root, folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // A manifest still has the addresses that the pages have.
  const { bugs } = publicPackages.map(manifestOf).find((manifest) => manifest.bugs !== undefined);
  const previous = bugs.replace(/\/issues$/, '');
  for (const folder of publicPackages) writeManifest(folder);
  for (const page of pagesWithAddresses)
    writeFileSync(join(root, page), read(page).replaceAll(previous, repository));
}
