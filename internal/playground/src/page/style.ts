/** Colours come from the page: `color-scheme`, the text's colour and, on the site, the variables of VitePress. */
export const style = `
:host { display: block; container-type: inline-size; text-align: start; }
* { box-sizing: border-box; }
.playground {
  --line: var(--vp-c-divider, color-mix(in srgb, currentColor 25%, transparent));
  --soft: var(--vp-c-bg-soft, color-mix(in srgb, currentColor 6%, transparent));
  --faint: var(--vp-c-text-2, currentColor);
  --accent: var(--vp-c-brand-1, #1a56db);
  font-size: 0.875rem;
  line-height: 1.5;
}
@supports (color: light-dark(red, red)) {
  .playground { --accent: var(--vp-c-brand-1, light-dark(#1a56db, #8ab4f8)); }
}
p, dl, dd, figure { margin: 0; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }

nav { display: flex; flex-wrap: wrap; gap: 0.5rem; }
nav a, button { background: none; border: 1px solid var(--line); border-radius: 99px; color: inherit; cursor: pointer; font: inherit; line-height: 1.25rem; padding: 0.3rem 0.6rem; text-decoration: none; }
nav a:hover, button:hover { border-color: var(--accent); color: var(--accent); }
nav [aria-current] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); color: var(--accent); }
.description, .lesson { margin: 0.75rem 0; min-height: 7.5em; }
.description, .unit, dt, .share { color: var(--faint); }

.cards { display: grid; gap: 0.75rem; }
figure { background: var(--soft); border-radius: 12px; min-width: 0; padding: 0.75rem 1rem; }
figcaption { align-items: baseline; display: flex; flex-wrap: wrap; justify-content: space-between; }
.name { font-weight: 600; }
.name { display: block; }
.name::first-letter, th::first-letter { text-transform: uppercase; }
strong { font-size: 1.75rem; font-variant-numeric: tabular-nums; line-height: 1.2; }
.plot { aspect-ratio: 260 / 104; margin-top: 0.25rem; }
figure dl { display: grid; font-size: 0.8125rem; font-variant-numeric: tabular-nums; gap: 0.75rem; grid-template-columns: 3.25rem 1fr auto; line-height: 1.4; margin-top: 0.25rem; }
svg { display: block; width: 100%; }
svg text { fill: currentColor; font-size: 11px; }
.band { fill: currentColor; opacity: 0.08; }
.axis { stroke: currentColor; opacity: 0.5; }
.capacity { stroke: currentColor; stroke-dasharray: 4 3; opacity: 0.7; }
.answered { fill: none; stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; }
.area { fill: var(--accent); opacity: 0.15; }

.summary { background: var(--vp-c-bg, Canvas); font-size: 0.8125rem; font-weight: 600; padding: 0.5rem 0; position: sticky; top: var(--playground-top, 0); z-index: 1; }
.main, .more { display: grid; gap: 0.25rem 1.5rem; }
.value { float: inline-end; font-variant-numeric: tabular-nums; }
input, select { accent-color: var(--accent); display: block; font: inherit; margin: 0; min-height: 24px; width: 100%; }
select { background: var(--vp-c-bg, Canvas); border: 1px solid var(--line); border-radius: 8px; color: inherit; height: 32px; padding: 0 0.5rem; }
summary { cursor: pointer; padding: 0.5rem 0; }

table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1.5rem 0; width: 100%; }
caption { font-weight: 600; text-align: start; }
th, td { border-bottom: 1px solid var(--line); font-weight: normal; overflow-wrap: anywhere; padding: 0.25rem; text-align: end; vertical-align: top; }
th[scope='row'] { padding-inline-start: 0; text-align: start; }
td:last-child, th:last-child { padding-inline-end: 0; }
th[scope='col'] { font-weight: 600; width: 20%; }
pre, code { font-family: var(--vp-font-family-mono, monospace); }
pre { background: var(--soft); border-radius: 12px; margin: 0.75rem 0; overflow-wrap: anywhere; padding: 1rem; white-space: pre-wrap; }

.tools { align-items: end; display: flex; flex-wrap: wrap; gap: 0.5rem; }
.model { margin-bottom: 1.5rem; }
.model dl { display: grid; gap: 0.75rem 1.5rem; margin: 0.75rem 0; }
dt { font-weight: inherit; }
.model dt { color: inherit; font-weight: 600; }

@container (min-width: 42rem) {
  .description, .lesson { min-height: 4.5em; }
  figure dd { min-height: 2.8em; }
  .cards, .model dl { grid-template-columns: repeat(3, 1fr); }
  .main, .more { grid-template-columns: repeat(2, 1fr); }
  figcaption { flex-direction: column; }
  /* The cards are near enough, so that it is for screen readers only. */
  .summary { clip-path: inset(50%); height: 1px; overflow: hidden; padding: 0; position: absolute; white-space: nowrap; width: 1px; }
}
@container (min-width: 54rem) {
  .description, .lesson { min-height: 3em; }
  figure dd { min-height: 0; }
  .main { grid-template-columns: repeat(3, 1fr); }
  .more { grid-template-columns: repeat(4, 1fr); }
}
`;
