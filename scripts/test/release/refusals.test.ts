import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { read, root } from '../../../docs/test/pages.ts';
import { refusalsOf } from '../../release/refusals.mjs';

const ready = {
  version: '0.1.0',
  changes: '',
  changelog: '# Changelog\n\n## 0.1.0\n\nThe first version.\n',
  notes: [],
  unpublished: [],
  tags: ['v0.1.0'],
  isPlaceholder: false,
  repository: 'https://github.com/some/headgate',
  npm: '11.5.1',
  env: {
    NPM_TOKEN: '',
    ACTIONS_ID_TOKEN_REQUEST_URL: 'https://localhost',
    GITHUB_REPOSITORY: 'some/headgate',
  },
};

it('a release of a tagged commit in the workflow is not refused', () => {
  expect(refusalsOf(ready)).toEqual([]);
});

const faults = [
  { code: 'RELEASE_TOKEN', facts: { npm: '11.5.0' } },
  { code: 'RELEASE_PROVENANCE', facts: { env: {} } },
  { code: 'RELEASE_REPOSITORY', facts: { repository: 'https://github.com/Some/headgate' } },
  { code: 'RELEASE_PLACEHOLDER', facts: { isPlaceholder: true } },
  { code: 'RELEASE_CHANGES', facts: { changes: ' M README.md' }, stopsDryRun: true },
  { code: 'RELEASE_CHANGELOG', facts: { changelog: '# Changelog\n' }, stopsDryRun: true },
  { code: 'RELEASE_UNPUBLISHED', facts: { unpublished: ['README.md', 'docs/server.md'] } },
  { code: 'RELEASE_NOTES', facts: { notes: ['brave-cats-sing.md'] } },
  { code: 'RELEASE_TAG', facts: { tags: ['v0.0.9'] } },
];

it.each(faults)('a release is refused with $code', ({ code, facts, stopsDryRun = false }) => {
  const refusals = refusalsOf({ ...ready, ...facts });
  expect(refusals).toEqual([{ code, message: expect.stringMatching(/\.$|README/), stopsDryRun }]);
});

it('an npm that cannot trust a workflow publishes with a token', () => {
  const env = { ...ready.env, NPM_TOKEN: 'secret' };
  expect(refusalsOf({ ...ready, npm: '10.8.2', env })).toEqual([]);
});

it.each(['11.10.0', '12.0.1'])('npm %s needs no token', (npm) => {
  expect(refusalsOf({ ...ready, npm })).toEqual([]);
});

it('a release is refused without git', () => {
  const [refusal, ...others] = refusalsOf({ ...ready, changes: undefined });
  expect(others).toEqual([]);
  expect(refusal).toMatchObject({
    code: 'RELEASE_CHANGES',
    message: expect.stringContaining('without git'),
  });
});

it('the section of a prerelease is not that of its release', () => {
  const changelog = '# Changelog\n\n## 0.1.0-rc.1\n';
  expect(refusalsOf({ ...ready, changelog })).toMatchObject([{ code: 'RELEASE_CHANGELOG' }]);
});

it('CONTRIBUTING.md explains each code of a release', () => {
  const explained = [...read('CONTRIBUTING.md').matchAll(/^\| `(RELEASE_\w+)` \|/gm)];
  expect(explained.map(([, code]) => code)).toEqual(faults.map(({ code }) => code));
});

function release(...args: readonly string[]) {
  const env = { ...process.env, NPM_TOKEN: '', ACTIONS_ID_TOKEN_REQUEST_URL: '' };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/release/main.mjs'), ...args],
    { env, encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

it('a release outside the workflow ends before its first step', () => {
  const { status, stdout, stderr } = release();
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^RELEASE_PROVENANCE: /m);
  expect(stderr).toMatch(/Nothing has been done\.\n$/);
});

it('a misspelt option publishes nothing', () => {
  const stderr = 'Usage: npm run release [-- --dry-run]\n';
  expect(release('--dryrun')).toEqual({ status: 2, stdout: '', stderr });
});
