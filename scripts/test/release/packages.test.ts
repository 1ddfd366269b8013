import { describe, expect, it } from 'vitest';
import { read } from '../../../docs/test/pages.ts';
import {
  addressesOf,
  commonKeywords,
  pagesWithAddresses,
  publicPackages,
  repository,
} from '../../addresses.mjs';
import { allowedLicenses, licensesPage, productionDependencies } from '../../licenses.mjs';

describe.each(publicPackages)('%s', (folder: string) => {
  const manifest = JSON.parse(read(`${folder}/package.json`));

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
  const links = read(page).match(/https:\/\/github\.com\/[\w-]+\/headgate\b/g) ?? [];
  expect(new Set(links)).toEqual(new Set([repository]));
});

it('SECURITY.md says where to report a vulnerability', () => {
  expect(read('SECURITY.md')).toContain(`<${repository}/security/advisories/new>`);
});

describe('what npm installs with the packages', () => {
  const dependencies = productionDependencies();

  it('has allowed licenses only', () => {
    expect(dependencies.length).toBeGreaterThan(20);
    const foreign = dependencies.filter(({ license }) => !allowedLicenses.includes(license));
    expect(foreign).toEqual([]);
  });

  it('has no install script', () => {
    const atInstall = ['preinstall', 'install', 'postinstall'];
    const found = dependencies.filter(({ scripts }) => atInstall.some((name) => name in scripts));
    expect(found).toEqual([]);
  });

  it('is listed in THIRD-PARTY.md: `npm run docs -- licenses` writes it', () => {
    expect(read('THIRD-PARTY.md')).toBe(licensesPage());
  });
});
