import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pages.ts';

/** Not to copy: what CI checks of the examples, and installed packages. */
const HIDDEN = ['checks', 'node_modules'];

/** Programs and configurations that readers copy. */
const folders = readdirSync(join(root, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !HIDDEN.includes(entry.name))
  .map(({ name }) => `examples/${name}`);

const LANGUAGES: Readonly<Record<string, string>> = { conf: 'nginx', cfg: 'txt', jsonc: 'json' };

const INDEX = 'examples/README.md';

/** The files of the repository that the site shows, as paths from its root. */
const sourceFiles = [...folders, 'docs/observability'].flatMap((folder) =>
  readdirSync(join(root, folder)).map((file) => `${folder}/${file}`),
);

/** The page that shows a file of the repository, relative to `docs/`; undefined if none does. */
export function sourcePageOf(path: string): string | undefined {
  if (path === INDEX) return 'source/examples/index.md';
  return sourceFiles.includes(path) ? `source/${path}.md` : undefined;
}

/** The file of the repository that a page shows, relative to `docs/`. */
export function sourceOf(page: string): string {
  if (page === 'source/examples/index.md') return `../${INDEX}`;
  return page.replace(/^source\/(.*)\.md$/, '../$1');
}

/** The pages with the files, by their path below `source/`. */
export function sourcePages(): Map<string, string> {
  const pages = sourceFiles.map((path): [string, string] => {
    const ending = path.replace(/.*\./, '');
    const fence = `\`\`\`${LANGUAGES[ending] ?? ending}`;
    const download = `<a href="./${path.replace(/.*\//, '')}" download>Download</a>`;
    return [path, `# ${path}\n\n${download}\n\n${fence}\n${readSource(path)}\n\`\`\`\n`];
  });
  return new Map([['examples/index', readSource(INDEX)], ...pages]);
}

/** The files themselves, by their path. */
export function sourceTexts(): [string, string][] {
  return sourceFiles.map((path) => [path, readSource(path)]);
}

const readSource = (path: string) => readFileSync(join(root, path), 'utf8').trimEnd();
