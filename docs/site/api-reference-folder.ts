import { join } from 'node:path';
import { root } from './pages.ts';

/** Where TypeDoc writes the pages of the API reference. */
export const apiReferenceFolder = join(root, 'out/api-reference');
