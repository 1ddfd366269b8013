import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../output.ts';

/** An installed package. */
export interface Installed {
  /** Its folder, without symbolic links. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly manifest: Manifest;
}

export interface Manifest {
  readonly version?: string;
  readonly private?: boolean;
  readonly scripts?: ByName;
  readonly engines?: ByName;
  readonly [dependencies: `${string}ependencies`]: ByName | undefined;
}

/** Versions, ranges or commands, by name. */
type ByName = { readonly [name: string]: string };

/** Undefined if there is no such file, or it is no JSON. */
export function manifestOf(folder: string): Manifest | undefined {
  const path = join(folder, 'package.json');
  return attempt(() => JSON.parse(readFileSync(path, 'utf8'))) ?? undefined;
}

/** The package that a module in this folder gets by that name, as Node resolves it. */
function resolveFrom(folder: string, name: string): Installed | undefined {
  for (let parent = folder; ; parent = dirname(parent)) {
    const path = join(parent, 'node_modules', name);
    const manifest = manifestOf(path);
    if (manifest !== undefined)
      return { folder: realpathSync(path), name, version: manifest.version ?? '0.0.0', manifest };
    if (parent === dirname(parent)) return undefined;
  }
}

/** All packages that an app loads in production, and the development dependencies of the app itself. */
export function installedIn(folder: string, app: Manifest): Installed[] {
  const found = new Map<string, Installed>();
  const add = (from: string, needs: Manifest) => {
    const names = { ...needs.dependencies, ...needs.optionalDependencies };
    for (const name of Object.keys({ ...names, ...needs.peerDependencies })) {
      const installed = resolveFrom(from, name);
      if (installed === undefined || found.has(installed.folder)) continue;
      found.set(installed.folder, installed);
      add(installed.folder, installed.manifest);
    }
  };
  add(folder, { ...app, dependencies: { ...app.devDependencies, ...app.dependencies } });
  return [...found.values()];
}

/** Whether a version is in a range such as `>=20.19` or `^4.18.0 || ^5.0.0`. True for ranges of another form. */
export function fits(version: string, range: string): boolean {
  const numbers = numbersOf(version);
  return range.split('||').some((part) => {
    const [, kind, minimum] = /^\s*(\^|>=)\s*(\d+(?:\.\d+){0,2})\s*$/.exec(part) ?? [];
    if (minimum === undefined) return true;
    const least = numbersOf(minimum);
    if (kind === '^' && numbers[0] !== least[0]) return false;
    const index = [0, 1, 2].find((each) => numbers[each] !== least[each]);
    return index === undefined || (numbers[index] as number) > (least[index] as number);
  });
}

function numbersOf(version: string): number[] {
  const [core = ''] = version.split(/[-+]/);
  const [major = 0, minor = 0, patch = 0] = core.replace(/^v/, '').split('.').map(Number);
  return [major, minor, patch];
}
