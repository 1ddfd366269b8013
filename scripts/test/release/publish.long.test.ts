import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@headgate/test-kit/temporary-folder';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { inOrder, publish } from '../../release/publish.mjs';
import { rehearsalToken, startRehearsal } from '../../release/rehearsal.mjs';

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

/** Packs a package that consists of its manifest. */
function tarball(name: string, fields: Record<string, unknown> = {}): string {
  const path = join(folder, name, 'package');
  mkdirSync(path, { recursive: true });
  const manifest = { name: `@some/${name}`, version: '1.0.0', ...fields };
  writeFileSync(join(path, 'package.json'), JSON.stringify(manifest));
  const file = join(folder, `${name}.tgz`);
  execFileSync('tar', ['-czf', file, '-C', join(folder, name), 'package']);
  return file;
}

function threePackages(): string[] {
  return [
    tarball('adapter', { dependencies: { '@some/core': '1.0.0', other: '1.0.0' } }),
    tarball('core'),
    tarball('a-metric', { peerDependencies: { '@some/adapter': '1.0.0' } }),
  ];
}

const inThisOrder = ['@some/core', '@some/adapter', '@some/a-metric'];

async function rehearsal() {
  const registry = await startRehearsal();
  onTestFinished(() => registry.close());
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  onTestFinished(() => printed.mockRestore());
  const target = { registry: registry.registry, token: rehearsalToken, provenance: false };
  return { ...registry, target, lines: () => printed.mock.calls.map(([line]) => line) };
}

it('a package follows those that it depends on', () => {
  expect(inOrder(threePackages()).map(({ manifest }) => manifest.name)).toEqual(inThisOrder);
});

/** Each test starts npm several times, which takes a second on a busy machine. */
vi.setConfig({ testTimeout: 120_000 });

it('npm publishes the packages in order', async () => {
  const { published, target } = await rehearsal();
  await publish(threePackages(), target);
  expect([...published.keys()]).toEqual(inThisOrder);
  expect(published.get('@some/core')).toMatchObject({
    'dist-tags': { latest: '1.0.0' },
    access: 'public',
  });
});

it('a prerelease does not become the latest version', async () => {
  const { published, target } = await rehearsal();
  await publish([tarball('core', { version: '1.0.0-rc.1' })], target);
  expect(published.get('@some/core')['dist-tags']).toEqual({ next: '1.0.0-rc.1' });
});

it('a release that is repeated skips what the registry has', async () => {
  const { published, target, lines } = await rehearsal();
  await publish([tarball('core')], target);
  await publish([tarball('core'), tarball('kit')], target);
  expect([...published.keys()]).toEqual(['@some/core', '@some/kit']);
  expect(lines()).toEqual([
    '@some/core@1.0.0: published',
    '@some/core@1.0.0: published already',
    '@some/kit@1.0.0: published',
  ]);
});

it('a release ends at the first package that the registry does not accept', async () => {
  const { published, target } = await rehearsal();
  const tarballs = [
    tarball('core'),
    tarball('kit', { dependencies: { '@some/missing': '1.0.0' } }),
  ];
  await expect(publish([...tarballs, tarball('zone')], target)).rejects.toThrow(
    '@some/missing is not published yet',
  );
  expect([...published.keys()]).toEqual(['@some/core']);
});

it('npm sends the token', async () => {
  const { published, target } = await rehearsal();
  const wrong = publish([tarball('core')], { ...target, token: 'wrong' });
  await expect(wrong).rejects.toThrow('the token is missing');
  expect(published.size).toBe(0);
});

it('npm attests the origin only where it can: elsewhere nothing is published', async () => {
  const { published, target } = await rehearsal();
  const attested = publish([tarball('core')], { ...target, provenance: true });
  await expect(attested).rejects.toThrow(/provenance generation/i);
  expect(published.size).toBe(0);
});
