// Copies the files that all pages share from internal/page into ui/shared of a package. Run by `prepack` in the folder
// of the package; `postpack` removes the copy with --undo, as it would hide later changes from the tests.
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

rmSync('ui/shared', { recursive: true, force: true });
if (!process.argv.includes('--undo')) {
  cpSync(join(root, 'internal/page'), 'ui/shared', {
    recursive: true,
    filter: (path) => !/(\.json|\.md)$/.test(path),
  });
}
