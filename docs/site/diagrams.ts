import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { docs } from './pages.ts';

const DIAGRAM = /^figures\/[\w-]+\.svg$/;

/**
 * A plugin of markdown-it: the diagrams of `docs/figures` become a part of the page, so that they follow its colors and
 * screen readers find their text.
 */
export function inlineDiagrams(md: MarkdownRenderer): void {
  const asImage = md.renderer.rules.image;
  md.renderer.rules.image = (tokens, index, options, env, self) => {
    const source = tokens[index]?.attrGet('src') ?? '';
    if (DIAGRAM.test(source)) return readFileSync(join(docs, source), 'utf8');
    return asImage?.(tokens, index, options, env, self) ?? '';
  };
}
