import { join } from 'node:path';
import { Application, type ProjectReflection } from 'typedoc';
import { expect, it } from 'vitest';
import { withoutErrors, withoutUnit } from '../descriptions.ts';

const folder = join(import.meta.dirname, 'fixtures');

async function convert(): Promise<ProjectReflection> {
  const app = await Application.bootstrap({
    entryPoints: [join(folder, 'descriptions.ts')],
    tsconfig: join(folder, 'tsconfig.json'),
    skipErrorChecking: true,
    // They need a repository with a remote.
    disableSources: true,
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc found no export.');
  return project;
}

const project = await convert();

it('an option that is a number must say its unit, but not the fields of an event', () => {
  expect(withoutUnit(project)).toEqual(['Options.vague has no unit']);
});

it('a function that takes options must say what it throws or rejects with', () => {
  expect(withoutErrors(project)).toEqual(['silent takes options and does not say what it throws']);
});
