import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../pages.ts';
import { redirects } from '../redirects.ts';

/** The folder of the built site. */
export const site = join(root, 'out/site');

if (!existsSync(join(site, 'index.html')))
  throw new Error('There is no site in out/site. Run: npm run docs -- site');

/** The files of the site, by their path within it. */
export const files = readdirSync(site, { recursive: true, encoding: 'utf8' }).sort();

/** The pages of the site, without the one for unknown addresses and those that lead to another one. */
export const pages = files.filter(
  (file) => file.endsWith('.html') && file !== '404.html' && !(file in redirects),
);

export function html(page: string): string {
  return readFileSync(join(site, page), 'utf8');
}
