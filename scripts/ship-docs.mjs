// Copies the pages of docs/ into packages/core/docs, so that they are installed with every package. Links to files that
// are not installed become plain text. Run by `prepack` of packages/core.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publicPackages, root } from './packages.mjs';

/**
 * The shipped pages, by file name.
 *
 * @returns {Map<string, string>}
 */
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
  const path = join('docs', file);
  const isReadme = publicPackages.some((folder) => path === `${folder}/README.md`);
  // In node_modules/@headgate/ all packages are siblings.
  return isReadme ? [path.replace('packages', '../..'), ...anchor].join('#') : undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = join(root, 'packages/core/docs');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, text] of shippedPages()) writeFileSync(join(folder, name), text);
}
