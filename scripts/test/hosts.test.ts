import { expect, it } from 'vitest';
import { read } from '../../docs/test/pages.ts';
import { hosts } from '../hosts/hosts.mjs';
import { idOf, runtimes } from '../runtimes/runtimes.mjs';

it('docs/lab/runtimes.md has each host that is tested, with its version', () => {
  const [, section = ''] = read('docs/lab/runtimes.md').split('\n## Hosts with the hook\n');
  const [table = ''] = section.split('\n## ');
  const rows = [...table.matchAll(/^\| (.*?) \| (\d\S*) \|/gm)].map(([, ...cells]) => cells);
  const expected = hosts.map(({ title, app, package: name }) => {
    const { dependencies } = JSON.parse(read(`scripts/hosts/apps/${app}/package.json`));
    const runtime = runtimes.find((each) => idOf(each) === name);
    return [title, runtime?.version ?? dependencies[name]];
  });
  expect(rows).toEqual(expected);
});
