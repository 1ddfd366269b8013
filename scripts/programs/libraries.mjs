// Determines which libraries a program loads, and from where, so that an installed library does not hide that an
// unpacked program lacks it.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, dirname, normalize } from 'node:path';

/** libc, and the compiler's runtime, which Node itself needs. */
const system =
  /^(ld-linux.*|linux-(vdso|gate)|lib(c|m|dl|pthread|rt|resolv|util|anl|gcc_s|stdc\+\+))\.so(\.\d+)?$/;

/**
 * Returns the folders below `root` of the libraries that the program loads, and the names of missing ones: except for
 * libc, the system's libraries do not count.
 */
export function findLibraries(program, root) {
  const places = indexOf(root);
  const folders = new Set();
  for (;;) {
    const known = folders.size;
    const missing = [];
    for (const { name, file } of loaded(program, [...folders])) {
      if (system.test(name)) continue;
      const folder = file?.startsWith(`${root}/`) ? dirname(file) : places.get(name);
      if (folder === undefined) missing.push(name);
      else folders.add(folder);
    }
    if (folders.size === known) return { folders: [...folders], missing };
  }
}

/** The file that the system's loader would load; without `file` if there is none. */
function loaded(program, folders) {
  const env = { ...process.env, LD_LIBRARY_PATH: folders.join(':') };
  const stdout = execFileSync('ldd', [program], { encoding: 'utf8', env });
  // `name => file (address)`, `name => not found`, or of the loader itself: `file (address)`.
  const lines = [...stdout.matchAll(/^\s*(\S+)(?: => (\/\S+))?/gm)];
  return lines.map(([, name, file]) => ({ name: basename(name), file: file && normalize(file) }));
}

/** The folder of each library below a root. */
function indexOf(root) {
  const places = new Map();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
    if (/\.so(\.|$)/.test(entry.name) && !entry.isDirectory())
      places.set(entry.name, entry.parentPath);
  return places;
}
