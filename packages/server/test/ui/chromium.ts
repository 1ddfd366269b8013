import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

interface Program {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A browser without a window, as it is installed here. */
export function launchChromium(): Promise<Browser> {
  const program = programs().find(runs);
  if (program === undefined) {
    throw new Error(
      'There is no Chromium. Put chromium or google-chrome on PATH, name one in CHROMIUM, or, on Debian, run: ' +
        'npm run bootstrap -- --tools',
    );
  }
  const env = program.env as Record<string, string>;
  return chromium.launch({ executablePath: program.path, env });
}

function programs(): Program[] {
  const { env } = process;
  if (env.CHROMIUM) return [{ path: env.CHROMIUM, env }];
  const names = [
    'chromium',
    'chromium-browser',
    'google-chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ];
  return [...names.map((name) => ({ path: onPath(name), env })), ...cached()];
}

/** Playwright does not look there itself. */
function onPath(name: string): string {
  const folders = (process.env.PATH ?? '').split(':');
  return folders.map((folder) => join(folder, name)).find(existsSync) ?? name;
}

/** Where the bootstrap script has put it, with the libraries that the system lacks for it. */
function cached(): Program[] {
  const root = resolve(import.meta.dirname, '../../../../node_modules/.cache/chromium/root');
  if (!existsSync(root)) return [];
  const folders = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].flatMap((cpu) => [
    join(root, 'usr/lib', cpu),
    join(root, 'lib', cpu),
  ]);
  const { LD_LIBRARY_PATH = '' } = process.env;
  const libraries = [...folders, LD_LIBRARY_PATH].filter(Boolean).join(':');
  const env = { ...process.env, LD_LIBRARY_PATH: libraries };
  return [{ path: join(root, 'usr/lib/chromium/chromium'), env }];
}

function runs({ path, env }: Program): boolean {
  return spawnSync(path, ['--version'], { env, stdio: 'ignore' }).status === 0;
}
