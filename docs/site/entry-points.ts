import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pages.ts';

interface Manifest {
  readonly name: string;
  readonly exports: Record<string, { 'headgate-source': string }>;
  readonly publishConfig: { readonly exports: object };
}

/** The names of the first one are for another package of this repository; the second one exports none. */
const UNDOCUMENTED = ['@headgate/core/engine', '@headgate/node/register'];

/** The source of each published entry point, by the name that an application imports. */
export function entryPoints(): Map<string, string> {
  const found = new Map<string, string>();
  for (const folder of readdirSync(join(root, 'packages'))) {
    const text = readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8');
    const { name, exports, publishConfig } = JSON.parse(text) as Manifest;
    for (const path of Object.keys(publishConfig.exports)) {
      const source = exports[path]?.['headgate-source'];
      if (source !== undefined)
        found.set(name + path.slice(1), join(root, 'packages', folder, source));
    }
  }
  for (const name of UNDOCUMENTED) found.delete(name);
  return found;
}
