import { anchorOf } from './anchors.ts';

const HEADING = /^(#+ .+?)(?: \{#(.+)\})?$/gm;

/**
 * Gives each heading of a generated page an anchor of its own, as VitePress requires. TypeDoc sets the anchors of
 * exports and members, which several members share; the first heading keeps the anchor.
 */
export function withUniqueAnchors(text: string): string {
  const reserved = new Set([...text.matchAll(HEADING)].map(([, , anchor]) => anchor));
  const used = new Set<string>();
  return text.replace(HEADING, (_, heading: string, anchor: string | undefined) => {
    const wanted = anchor ?? anchorOf(heading.replace(/^#+/, ''));
    const isTaken = (name: string) => used.has(name) || (name !== anchor && reserved.has(name));
    let unique = wanted;
    for (let count = 2; isTaken(unique); count++) unique = `${wanted}--${count}`;
    used.add(unique);
    return `${heading} {#${unique}}`;
  });
}
