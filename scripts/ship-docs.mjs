// Copies the pages of docs/ into packages/core/docs, so that they are installed with every package. Links to files that
// are not installed become plain text. Run by `prepack` of packages/core.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publicPackages, root } from './packages.mjs';

/**
 * The shipped pages, by their path in `docs/`.
 *
 * @returns {Map<string, string>}
 */
export function shippedPages() {
  // The front page is for the site alone.
  const paths = ['', 'authors/', 'tabs/'].flatMap((folder) =>
    readdirSync(join(root, 'docs', folder))
      .filter((name) => name.endsWith('.md') && name !== 'index.md')
      .map((name) => folder + name),
  );
  return new Map(
    paths.map((page) => {
      const text = readFileSync(join(root, 'docs', page), 'utf8');
      const shipped = text.replace(/!?\[([^\]]*)\]\(([^)\s]+)\)/g, (link, label, target) => {
        const path = pathFor(page, target, paths);
        if (path === undefined) return label;
        return path === target ? link : `[${label}](${path})`;
      });
      return [page, shipped];
    }),
  );
}

/** The target of a link in the installed page; undefined if it is not installed. */
function pathFor(page, target, paths) {
  const [file, ...anchor] = target.split('#');
  const path = posix.join('docs', posix.dirname(page), file);
  if (/^\w+:/.test(target) || file === '' || paths.includes(path.slice('docs/'.length)))
    return target;
  const isReadme = publicPackages.some((folder) => path === `${folder}/README.md`);
  // In node_modules/@headgate/ all packages are siblings.
  return isReadme ? [path.replace('packages', '../..'), ...anchor].join('#') : undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = join(root, 'packages/core/docs');
  rmSync(folder, { recursive: true, force: true });
  for (const [page, text] of shippedPages()) {
    mkdirSync(dirname(join(folder, page)), { recursive: true });
    writeFileSync(join(folder, page), text);
  }
}
