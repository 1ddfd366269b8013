import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { installTabs } from '../site/package-managers.ts';
import { TABS_LINK, tabFiles, tabsAt } from '../site/tabs.ts';
import { pages, read, root } from './pages.ts';

const inDocs = pages.filter((page) => /^docs\/[\w-]+\.md$/.test(page));
const links = inDocs.flatMap((page) =>
  [...read(page).matchAll(/\]\((tabs\/[^)]+)\)/g)].map(([, link = '']) => ({ page, link })),
);

/** The order of the tabs; a page may leave some out. */
const frameworks = ['Fastify', 'Hono', 'Koa', 'NestJS', 'Any Node server'];

describe('the tabs of a page', () => {
  it.each(links)('$link: have the names of frameworks, in their order', ({ link }) => {
    const labels = tabsAt(link).map(({ label }) => label);
    expect(labels).toEqual(frameworks.filter((name) => labels.includes(name)));
  });

  it.each(links)('$link: are blocks of code, without text in between', ({ link }) => {
    for (const tab of tabsAt(link)) expect(tab.text.replace(/^```.*?^```$/gms, '').trim()).toBe('');
  });

  it.each(links)('$link: belong to the page, below a block of code', ({ page, link }) => {
    expect(page).toBe(`docs/${TABS_LINK.exec(link)?.[1]}.md`);
    expect(read(page)).toMatch(new RegExp(`^\`\`\`\n\n\\[[^\\]]*\\]\\(${link}\\)\n`, 'm'));
  });

  it('are all shown by a page', () => {
    const sections = tabFiles().flatMap((file) => read(`docs/${file}.md`).match(/^## .*$/gm) ?? []);
    expect(links.length).toBe(sections.length);
  });

  it('are an error if a page names tabs that do not exist', () => {
    expect(() => tabsAt('tabs/guide.md#missing')).toThrow('docs/tabs/guide.md#missing has no tabs');
    expect(() => tabsAt('tabs/missing.md#missing')).toThrow('docs/tabs/missing.md#missing');
  });
});

/** The configurations of the hook in the tabs, by their section. */
const configurations = links.flatMap(({ link }) =>
  tabsAt(link).flatMap((tab) =>
    [...tab.text.matchAll(/^```(jsonc|js)\n(\/\/ headgate\.config\..*?)^```/gms)].map(
      ([, kind = '', code = '']): [string, string, string] => [link, kind, code],
    ),
  ),
);

it.each(configurations)(
  '%s: the hook accepts the configuration (%s)',
  async (_, kind, code) => {
    const folder = join(root, 'examples/node_modules/.cache', `tabs-${process.pid}`);
    const ending = kind === 'js' ? 'mjs' : 'json';
    mkdirSync(folder, { recursive: true });
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, `headgate.config.${ending}`);
    writeFileSync(file, kind === 'js' ? code : code.replace(/^\s*\/\/.*$/gm, ''));
    const program = `
      import { createServer } from 'node:http';
      const server = createServer((_req, res) => res.end('served')).listen(0, async () => {
        const answer = await fetch('http://127.0.0.1:' + server.address().port);
        console.log(await answer.text());
        process.exit();
      });`;
    const flags = [
      '--conditions=headgate-source',
      '--import=tsx',
      '--import=@headgate/node/register',
    ];
    const child = spawn(process.execPath, [...flags, '--input-type=module', '--eval', program], {
      cwd: join(root, 'examples'),
      env: { ...process.env, HEADGATE: file },
    });
    const [stdout, stderr] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    expect(stderr).toContain(`headgate.config.${ending}`);
    expect(stdout).toBe('served\n');
  },
  30_000,
);

describe('commands that install packages', () => {
  it('are shown for each package manager', () => {
    const tabs = installTabs(
      'npm install @headgate/koa\nnpm install -D @types/koa   # for TypeScript\n',
    );
    expect(tabs.map(({ label, text }) => [label, text.split('\n')[1]])).toEqual([
      ['npm', 'npm install -D @types/koa   # for TypeScript'],
      ['pnpm', 'pnpm add -D @types/koa   # for TypeScript'],
      ['yarn', 'yarn add -D @types/koa   # for TypeScript'],
      ['bun', 'bun add -d @types/koa   # for TypeScript'],
    ]);
  });

  it.each([
    'node server.mjs\n',
    'npm install ../out/tarballs/core.tgz\n',
    'npm install --prefix /srv @headgate/node\n',
    'npm install @headgate/server\nnpx headgate-server\n',
  ])('are left as they are if they are not the same for all: %j', (commands) => {
    expect(installTabs(commands)).toEqual([]);
  });
});
