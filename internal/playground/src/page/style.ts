/** Colours come from the page: `color-scheme`, the text's colour and, on the site, the variables of VitePress. */
export const style = `
:host { display: block; container-type: inline-size; text-align: start; }
* { box-sizing: border-box; }
.playground {
  --line: var(--vp-c-divider, color-mix(in srgb, currentColor 25%, transparent));
  --soft: var(--vp-c-bg-soft, color-mix(in srgb, currentColor 6%, transparent));
  --accent: var(--vp-c-brand-1, #1a56db);
  font-size: 0.9rem;
  line-height: 1.5;
}
@supports (color: light-dark(red, red)) {
  .playground { --accent: var(--vp-c-brand-1, light-dark(#1a56db, #8ab4f8)); }
}
.controls { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: 0.75rem; margin: 0; }
fieldset { border: 1px solid var(--line); border-radius: 8px; margin: 0; padding: 0.25rem 0.75rem 0.75rem; min-width: 0; }
legend { font-weight: 600; padding: 0 0.25rem; }
.control { margin-top: 0.25rem; }
.control label { display: inline-block; }
.value { float: inline-end; font-variant-numeric: tabular-nums; }
input, select { accent-color: var(--accent); display: block; font: inherit; margin: 0; min-height: 24px; width: 100%; }
button { cursor: pointer; font: inherit; min-height: 32px; padding: 0 0.75rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.summary { font-size: 1rem; margin: 0; min-height: 3em; padding: 0.5rem 0; }
.title { font-weight: 600; margin: 1rem 0 0; }
.plots { display: grid; grid-template-columns: repeat(3, 1fr); gap: 0.75rem; min-height: 9rem; }
figure { margin: 0; min-width: 0; }
figcaption { padding-top: 0.25rem; }
svg { display: block; width: 100%; }
svg text { fill: currentColor; font-size: 11px; }
.band { fill: currentColor; opacity: 0.08; }
.axis { stroke: currentColor; opacity: 0.5; }
.capacity { stroke: currentColor; stroke-dasharray: 4 3; opacity: 0.7; }
.answered { fill: none; stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; }
.area { fill: var(--accent); opacity: 0.15; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0.75rem 0; width: 100%; }
caption { font-weight: 600; text-align: start; }
th, td { border-bottom: 1px solid var(--line); font-weight: normal; overflow-wrap: anywhere; padding: 0.25rem; text-align: end; vertical-align: top; }
th[scope='row'] { text-align: start; }
th[scope='col'] { font-weight: 600; width: 20%; }
pre { background: var(--soft); border-radius: 8px; margin: 0; overflow-wrap: anywhere; padding: 0.75rem; white-space: pre-wrap; }
.buttons { margin: 0.5rem 0 1rem; }
dl { margin: 0.5rem 0; }
dt { font-weight: 600; }
dd { margin: 0 0 0.25rem; }
.model p { margin: 0.5rem 0; }
a { color: var(--accent); }
@container (max-width: 40rem) {
  /* Stays visible while a slider moves. */
  .summary { background: var(--vp-c-bg, Canvas); min-height: 5.5em; position: sticky; top: 0; z-index: 1; }
  .plots { grid-template-columns: 1fr; }
  figure svg { max-height: 9rem; }
}
`;
