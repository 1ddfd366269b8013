import { validate } from 'dockerfile-utils';
import { expect, it } from 'vitest';
import { read } from '../../../docs/test/pages.ts';
import { argumentsOf, stagesOfImage, wordsOf } from '../../pack/image-steps.mjs';
import { runtimes } from '../../runtimes/runtimes.mjs';

type Stage = ReturnType<typeof stagesOfImage>[number];

const [first, last] = stagesOfImage() as [Stage, Stage];
const manifest = (name: string) => JSON.parse(read(`packages/${name}/package.json`));

it('the Dockerfile of the service is valid', () => {
  const problems = validate(read('packages/server/Dockerfile'));
  expect(problems.map(({ message }) => message)).toEqual([]);
});

it('the image has two stages, on a version of Node that the tests run on', () => {
  expect(stagesOfImage()).toHaveLength(2);
  const tested = runtimes.map(({ version }) => `node:${version}-alpine`);
  for (const stage of [first, last]) expect(tested).toContain(stage.image);
});

it('the image contains the tarballs of the service and of its packages', () => {
  const copied = [...argumentsOf(first, 'COPY').matchAll(/tarballs\/headgate-(.+?)-\[0-9\]/g)];
  const own = Object.keys(manifest('server').dependencies).filter((name) =>
    name.startsWith('@headgate/'),
  );
  const expected = ['server', ...own.map((name) => name.replace('@headgate/', ''))];
  expect(copied.map(([, name]) => name).sort()).toEqual(expected.sort());
  expect(read('packages/server/Dockerfile.dockerignore')).toBe('*\n!out/tarballs\n');
});

it('the service runs as a user other than root, with a health check, and without a shell', () => {
  expect(argumentsOf(last, 'USER')).toBe('node');
  expect(wordsOf(argumentsOf(last, 'HEALTHCHECK')).join(' ')).toContain('/health');
  const entry = wordsOf(argumentsOf(last, 'ENTRYPOINT'));
  // PID 1 is Node itself: it receives the SIGTERM of `docker stop`.
  expect(entry.slice(0, 2)).toEqual([
    'node',
    `node_modules/@headgate/server/${manifest('server').bin['headgate-server'].replace('./', '')}`,
  ]);
});

it('docs/server.md says that the image has not been built by its tests', () => {
  expect(read('docs/server.md')).toMatch(
    /`packages\/server\/Dockerfile`[^#]*image itself has not been built/,
  );
});
