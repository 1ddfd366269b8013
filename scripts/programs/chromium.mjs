// A headless Chromium from an npm package made for cloud functions: it needs little more than libc, and contains its
// other libraries. The package supports one platform only.
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { run } from './run.mjs';

export function chromiumPackage() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  return {
    // The last version that supports Node 20.
    id: '@sparticuz/chromium@147.0.2',
    prepare: decompress,
    paths: ['chromium'],
    env: (root) => ({ FONTCONFIG_PATH: root, XDG_CACHE_HOME: root }),
  };
}

/** Without a font Chromium lays out no text, and the package's own configuration names folders of its cloud. */
const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fonts-cache</cachedir>
</fontconfig>
`;

function decompress(folder) {
  const part = (name) => brotliDecompressSync(readFileSync(join(folder, 'bin', `${name}.br`)));
  writeFileSync(join(folder, 'chromium'), part('chromium'));
  chmodSync(join(folder, 'chromium'), 0o755);
  for (const name of ['al2023.tar', 'swiftshader.tar', 'fonts.tar'])
    run('tar', ['-xf', '-', '-C', folder, '--no-same-owner'], {
      input: part(name),
      stdio: ['pipe', 'ignore', 'inherit'],
    });
  writeFileSync(join(folder, 'fonts.conf'), fonts);
  rmSync(join(folder, 'bin'), { recursive: true });
}
