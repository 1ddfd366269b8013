import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiReferenceFolder } from '../site/pages.ts';
import { withUniqueAnchors } from '../site/unique-anchors.ts';

/** The pages that TypeDoc has written; none if it has not run. */
export default {
  paths() {
    if (!existsSync(apiReferenceFolder)) return [];
    const files = readdirSync(apiReferenceFolder).filter((file) => file.endsWith('.md'));
    return files.map((file) => ({
      params: { entry: file.slice(0, -3) },
      content: withUniqueAnchors(readFileSync(join(apiReferenceFolder, file), 'utf8')),
    }));
  },
};
