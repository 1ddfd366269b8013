// npm run docs -- site: builds the site into out/site: the API reference, the pages, and their texts for models.
import { join } from 'node:path';
import { build } from 'vitepress';
import { writeApiReference } from './api-reference.ts';
import { textForModels, tokensIn, writeTextsForModels } from './llms.ts';
import { docs, root } from './pages.ts';
import { writeRedirects } from './redirects.ts';

const started = performance.now();
await writeApiReference();
await build(docs);
const site = join(root, 'out/site');
writeTextsForModels(site);
writeRedirects(site);
const seconds = Math.round((performance.now() - started) / 1_000);
console.log(
  `The site is in out/site: ${seconds} s, llms-full.txt with ${tokensIn(textForModels())} tokens.`,
);
