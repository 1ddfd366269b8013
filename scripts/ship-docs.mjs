// Copies the pages of docs/ into packages/core/docs, so that they are installed with every package. Links to files that
// are not installed become plain text. Run by `prepack` of packages/core.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The shipped pages, by file name. */
export function shippedPages() {
  // The front page is for the site alone.
  const names = readdirSync(join(root, 'docs')).filter(
    (name) => name.endsWith('.md') && name !== 'index.md',
  );
  return new Map(
    names.map((name) => {
      const text = readFileSync(join(root, 'docs', name), 'utf8');
      const shipped = text.replace(/!?\[([^\]]*)\]\(([^)\s]+)\)/g, (link, label, target) => {
        const path = pathFor(target, names);
        if (path === undefined) return label;
        return path === target ? link : `[${label}](${path})`;
      });
      return [name, shipped];
    }),
  );
}

/** The target of a link in the installed page; undefined if it is not installed. */
function pathFor(target, names) {
  const [file, ...anchor] = target.split('#');
  if (/^\w+:/.test(target) || file === '' || names.includes(file)) return target;
  const [, name] = /^\.\.\/packages\/([\w-]+)\/README\.md$/.exec(normalize(file)) ?? [];
  if (name === undefined || isPrivate(name)) return undefined;
  // In node_modules/@headgate/ all packages are siblings.
  return [`../../${name}/README.md`, ...anchor].join('#');
}

function isPrivate(name) {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')).private;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = join(root, 'packages/core/docs');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, text] of shippedPages()) writeFileSync(join(folder, name), text);
}
