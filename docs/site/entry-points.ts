import { join } from 'node:path';
import { manifestOf, publicPackages, root } from '../../scripts/packages.mjs';

/** Its names are for another package of this repository, and no promise covers them. */
const UNPROMISED = '@headgate/core/engine';

/** The source of each published entry point, by the name that an application imports. */
export function entryPoints(): Map<string, string> {
  const found = new Map<string, string>();
  for (const folder of publicPackages) {
    const { name, exports, publishConfig } = manifestOf(folder);
    // A command has none.
    for (const path of Object.keys(publishConfig.exports ?? {}))
      found.set(name + path.slice(1), join(root, folder, exports[path]['headgate-source']));
  }
  found.delete(UNPROMISED);
  return found;
}
