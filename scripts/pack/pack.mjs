// npm run pack -- tarballs: packs each package into out/tarballs, and says how to install them.
import { pack, resolutionsFor } from './tarballs.mjs';

const tarballs = pack();
console.log(`${tarballs.join('\n')}

pnpm, Yarn 1 and Bun also need this in your package.json, since the packages depend on each other:

"resolutions": ${JSON.stringify(resolutionsFor(tarballs), null, 2)}`);
