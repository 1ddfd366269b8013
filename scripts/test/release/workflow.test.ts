import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { read } from '../../../docs/test/pages.ts';

const workflow = parse(read('.github/workflows/release.yml'));
const { steps } = workflow.jobs.npm;

it('a tag starts the release, which may do nothing but read and attest', () => {
  expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
  expect(workflow.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
});

it('the release workflow runs the command of a dry run, with the token', () => {
  const [command, ...others] = steps.filter(({ run }: { run?: string }) => run !== undefined);
  expect(others).toEqual([]);
  expect(command).toEqual({
    run: 'npm run release',
    env: { NPM_TOKEN: `\${{ secrets.NPM_TOKEN }}` },
  });
});

it('actions are pinned to a version', () => {
  const used = steps.flatMap(({ uses }: { uses?: string }) => uses ?? []);
  expect(used.length).toBeGreaterThan(0);
  for (const action of used) expect(action).toMatch(/^actions\/[\w-]+@v\d+\.\d+\.\d+$/);
});
