import { describe, expect, it } from 'vitest';
import { read } from '../../../docs/test/pages.ts';
import { addressesOf, commonKeywords, pagesWithAddresses, repository } from '../../addresses.mjs';
import { licensesPage, problemsOf, productionDependencies } from '../../licenses.mjs';
import { manifestOf, publicPackages } from '../../packages.mjs';

describe.each(publicPackages)('%s', (folder: string) => {
  const manifest = manifestOf(folder);

  it('has the addresses of the project: `npm run docs -- addresses` writes them', () => {
    expect(manifest).toMatchObject(addressesOf(folder));
  });

  it('has the keywords that all packages share, and its own', () => {
    expect(manifest.keywords.slice(0, commonKeywords.length)).toEqual(commonKeywords);
    expect(manifest.keywords.length).toBeGreaterThan(commonKeywords.length);
    expect(new Set(manifest.keywords).size).toBe(manifest.keywords.length);
  });

  it('has a README whose links npm can follow, where no other file is', () => {
    const links = [...read(`${folder}/README.md`).matchAll(/\]\(([^)]+)\)/g)].map(([, to]) => to);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !link?.startsWith('https://'))).toEqual([]);
  });

  it('contains its license', () => {
    expect(manifest.license).toBe('MIT');
    expect(read(`${folder}/LICENSE`)).toBe(read('LICENSE'));
  });
});

it.each(pagesWithAddresses)('%s links to the repository', (page) => {
  const links = read(page).match(/github(\.com)?\/[\w-]+\/headgate\b/g) ?? [];
  const paths = links.map((link) => link.replace(/^github(\.com)?/, ''));
  expect(new Set(paths)).toEqual(new Set([new URL(repository).pathname]));
});

it('SECURITY.md says where to report a vulnerability', () => {
  expect(read('SECURITY.md')).toContain(`<${repository}/security/advisories/new>`);
});

describe('what npm installs with the packages', () => {
  it('has allowed licenses only, and no install script', () => {
    const dependencies = productionDependencies();
    expect(dependencies.length).toBeGreaterThan(20);
    expect(dependencies.flatMap(problemsOf)).toEqual([]);
  });

  it.each([
    [{ license: 'AGPL-3.0', hasInstallScript: false }, 'name@1.0.0 has the license AGPL-3.0'],
    [{ license: 'MIT', hasInstallScript: true }, 'name@1.0.0 has an install script'],
  ])('is refused: %j', (dependency, problem) => {
    expect(problemsOf({ name: 'name', version: '1.0.0', ...dependency })).toEqual([problem]);
  });

  it('is listed in THIRD-PARTY.md: `npm run docs -- licenses` writes it', () => {
    expect(read('THIRD-PARTY.md')).toBe(licensesPage());
  });
});

it('CODEOWNERS names the owner of the repository', () => {
  const [, owner] = new URL(repository).pathname.split('/');
  expect(read('.github/CODEOWNERS')).toMatch(new RegExp(`^\\* @${owner}$`, 'm'));
});
