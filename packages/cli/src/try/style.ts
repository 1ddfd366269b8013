/** The colours are distinguishable with colour blindness; shapes and dashes repeat the distinction. */
export const style = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f6f5f2, #12151a); --card: light-dark(#ffffff, #1a1e25); --ink: light-dark(#1b1f27, #eceef2);
  --soft: light-dark(#5a6270, #a2abb9); --rule: light-dark(#e3e3df, #2f353f); --band: light-dark(#f4ecdc, #2b2820);
  --answered: light-dark(#0a5fae, #62b0ff); --area: light-dark(#0a5fae22, #62b0ff2b);
  --rejected: light-dark(#8a6a00, #d9b340); --gave: light-dark(#c23b0e, #ff8257);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 48px 24px 64px; }
h1 { font-size: clamp(1.5rem, 3.2vw, 2.15rem); line-height: 1.22; letter-spacing: -.018em; margin: 0 0 12px; max-width: 30em; text-wrap: balance; }
h2 { font-size: 1.05rem; margin: 0; }
h3 { font-size: .85rem; margin: 18px 0 4px; }
.eyebrow { color: var(--soft); font-size: .85rem; font-weight: 600; margin: 0 0 10px; }
.pair { display: grid; gap: 20px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); margin: 28px 0 20px; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 14px; padding: 22px 24px 14px; }
.figure { display: flex; align-items: baseline; gap: 12px; margin: 2px 0 10px; }
.figure strong { white-space: nowrap; font-size: 2.9rem; line-height: 1.15; letter-spacing: -.03em; }
.bare .figure strong { color: var(--gave); } .guarded .figure strong { color: var(--answered); }
.figure span { color: var(--soft); font-size: .92rem; line-height: 1.35; }
svg { display: block; width: 100%; height: auto; overflow: visible; font: 11px system-ui, sans-serif; }
.grid { stroke: var(--rule); } .tick { fill: var(--soft); } .note { fill: var(--ink); font-weight: 600; } .spike { fill: var(--band); }
.area { fill: var(--area); } .line { fill: none; stroke: var(--answered); stroke-width: 2.5; stroke-linejoin: round; }
.asked { fill: none; stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 2 3; }
.capacity { stroke: var(--ink); stroke-width: 1.25; stroke-dasharray: 7 4; }
path.answered { stroke: var(--answered); stroke-width: 5; stroke-linecap: round; opacity: .75; }
.rejected, .gaveUp, .failed { stroke: var(--gave); stroke-width: 1.25; fill: none; opacity: .8; } .rejected { stroke: var(--rejected); }
.legend { display: flex; flex-wrap: wrap; gap: 6px 22px; margin: 0; padding: 0; list-style: none; font-size: .88rem; }
.legend li { display: flex; align-items: center; gap: 8px; } .legend svg { width: 26px; height: 14px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 8px 0 8px 24px; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; }
th:first-child { text-align: left; padding-left: 0; font-weight: 400; white-space: normal; } td:last-child { font-weight: 600; }
@media (max-width: 30rem) {
  main { padding: 28px 14px 40px; } .card { padding: 18px 14px 12px; }
  /* A chart is drawn smaller than its numbers say. */
  svg { font-size: 15px; }
  th, td { padding-left: 10px; white-space: normal; font-size: .85rem; }
}
footer { margin-top: 24px; font-size: .9rem; color: var(--soft); } footer ul { margin: 0; padding-left: 1.2em; }
`;
