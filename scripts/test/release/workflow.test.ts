import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { read, root } from '../../../docs/test/pages.ts';

const workflow = parse(read('.github/workflows/release.yml'));
const { steps } = workflow.jobs.npm;

it('a tag starts the release, which may do nothing but read and attest', () => {
  expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
  expect(workflow.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
});

it('the release workflow runs the command of a dry run, with a token for the first release only', () => {
  const [command, ...others] = steps.filter(({ run }: { run?: string }) => run !== undefined);
  expect(others).toEqual([]);
  expect(command).toEqual({
    run: 'npm run release',
    env: { NPM_TOKEN: `\${{ secrets.NPM_TOKEN }}` },
  });
});

it('actions of each workflow are pinned by commit, with their version for the reader', () => {
  const files = readdirSync(join(root, '.github/workflows'));
  const used = files.flatMap((name) => read(`.github/workflows/${name}`).match(/uses:.*/g) ?? []);
  expect(used.length).toBeGreaterThan(files.length);
  for (const action of used) {
    expect(action).toMatch(/^uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
});

it('updates of actions and packages are proposed when they are a week old', () => {
  const { updates } = parse(read('.github/dependabot.yml'));
  const proposed = updates.map((update: Record<string, unknown>) => [
    update['package-ecosystem'],
    update.cooldown,
  ]);
  const cooldown = { 'default-days': 7 };
  expect(proposed).toEqual([
    ['github-actions', cooldown],
    ['npm', cooldown],
  ]);
});
