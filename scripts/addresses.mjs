// npm run docs -- addresses: writes the addresses of the project into the manifests and READMEs of the packages and into
// SECURITY.md, and the owner into CODEOWNERS. They all follow from `repository` in the package.json of the root, which
// also has the common keywords.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { manifestOf, publicPackages } from './packages.mjs';

export const { repository, keywords: commonKeywords } = manifestOf('.');

const [, owner] = new URL(repository).pathname.split('/');

/** Until the owner of the repository is known, it has this name. */
export const isPlaceholder = owner === 'OWNER';

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
  'examples/README.md',
  'docs/adoption/README.md',
  ...publicPackages.map((folder) => `${folder}/README.md`),
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const manifests = new Map(publicPackages.map((folder) => [folder, manifestOf(folder)]));
  // A manifest still has the addresses that the pages have.
  const [{ bugs }] = manifests.values();
  // Only its path, which StackBlitz uses, too.
  const previous = new URL(bugs).pathname.replace(/\/issues$/, '');
  for (const page of pagesWithAddresses) {
    const text = readFileSync(page, 'utf8');
    writeFileSync(page, text.replaceAll(previous, new URL(repository).pathname));
  }
  const owners = '.github/CODEOWNERS';
  writeFileSync(owners, readFileSync(owners, 'utf8').replace(/@\S+/, `@${owner}`));
  for (const [folder, manifest] of manifests) {
    const own = manifest.keywords.filter((word) => !commonKeywords.includes(word));
    const keywords = [...commonKeywords, ...own];
    const written = { ...manifest, keywords, ...addressesOf(folder) };
    writeFileSync(`${folder}/package.json`, `${JSON.stringify(written, null, 2)}\n`);
  }
}
