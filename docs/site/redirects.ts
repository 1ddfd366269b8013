import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Earlier addresses of pages, and the pages that have their contents now. */
export const redirects: Readonly<Record<string, string>> = {
  'start-any-server.html': 'any-server.html',
  'start-web-handlers.html': 'web.html',
  'start-workers.html': 'workers.html',
  'extending.html': 'authors/extending.html',
  'api-adapters.html': 'authors/api-adapters.html',
  'api-stores.html': 'authors/api-stores.html',
  'start-any-server.md': 'any-server.md',
  'start-web-handlers.md': 'web.md',
  'start-workers.md': 'workers.md',
};

/** Writes a page at each earlier address, which leads to the new one; a host of static files can do no more. */
export function writeRedirects(folder: string): void {
  for (const [from, to] of Object.entries(redirects)) {
    mkdirSync(dirname(join(folder, from)), { recursive: true });
    writeFileSync(join(folder, from), from.endsWith('.md') ? `[Moved](${to})\n` : pageTo(to));
  }
}

/** Scripts keep the anchor; without them, the refresh leads to the top of the page. */
function pageTo(address: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>Moved</title>
<link rel="canonical" href="${address}">
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="0; url=${address}">
<script>location.replace('${address}' + location.hash);</script>
<main>
<h1>Moved</h1>
<p>This page is now at <a href="${address}">${address}</a>.</p>
</main>
</html>
`;
}
