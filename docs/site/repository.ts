import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pages.ts';

/** Used until the root `package.json` names a repository. */
const PLACEHOLDER = 'https://github.com/OWNER/headgate';

type Manifest = { readonly repository?: string | { readonly url: string } };

function addressIn({ repository = PLACEHOLDER }: Manifest): string {
  const url = typeof repository === 'string' ? repository : repository.url;
  return url.replace(/^git\+/, '').replace(/\.git$/, '');
}

/** The address of the repository, from the `repository` field of the root `package.json`. */
export const repository = addressIn(
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest,
);
