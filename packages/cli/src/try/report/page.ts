import type { Pass } from '../figures.ts';
import { percent } from '../format.ts';
import type { Result } from '../result.ts';
import { answersChart, topOf } from './answers-chart.ts';
import { style } from './style.ts';
import { escapeHtml } from './svg.ts';
import { cross, dot, upright, waitsChart } from './waits-chart.ts';

/** The report as one self-contained file. */
export function pageOf(result: Result, rows: readonly (readonly string[])[]): string {
  const { sentence, notes, typical } = result;
  const top = topOf(typical);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>headgate try</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="eyebrow">headgate try ${escapeHtml(result.urls.join(' '))}</p>
<h1>${escapeHtml(sentence).replaceAll(' %', '&nbsp;%')}</h1>
${legend}
<div class="pair">
${typical.map((pass) => panel(pass, result, top)).join('\n')}
</div>
<section class="card">${tableOf(rows)}</section>
<footer><ul>${notes.map((note) => `<li>${escapeHtml(note)}</li>`).join('\n')}</ul></footer>
</main>
</body>
</html>
`;
}

function panel(pass: Pass, { figures, timeout }: Result, top: number): string {
  const [kind, title] = pass.isHooked ? ['guarded', 'With the hook'] : ['bare', 'As it is'];
  const { afterwards = 0 } = figures[pass.isHooked ? 1 : 0] ?? {};
  return `<section class="card ${kind}">
<h2>${title}</h2>
<p class="figure"><strong>${percent(afterwards)}</strong><span>of the requests after the spike<br>were answered in time</span></p>
<h3>Answered in time, per second</h3>
${answersChart(pass, top, title)}
<h3>Wait of each request</h3>
${waitsChart(pass, timeout, title)}
</section>`;
}

const item = (mark: string, text: string) =>
  `<li><svg viewBox="0 0 26 14" aria-hidden="true">${mark}</svg>${text}</li>`;
const line = (kind: string) => `<line class="${kind}" x1="0" x2="26" y1="7" y2="7"/>`;
const legend = `<ul class="legend">
${item(`${line('line')}<path class="answered" d="${dot(13, 7)}"/>`, 'answered in time')}
${item(`<path class="rejected" d="${[8, 13, 18].map((x) => upright(x, 7)).join('')}"/>`, 'rejected (503)')}
${item(`<path class="gaveUp" d="${[6, 13, 20].map((x) => cross(x, 7)).join('')}"/>`, 'gave up, or failed')}
${item(line('asked'), 'requests sent')}
${item(line('capacity'), "the server's capacity")}
${item('<rect class="spike" width="26" height="14" rx="2"/>', 'the spike')}
</ul>`;

function tableOf([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const head = heading.map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join('');
  const body = rows.map(([label = '', ...cells]) => {
    const values = cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('');
    return `<tr><th scope="row">${escapeHtml(label)}</th>${values}</tr>`;
  });
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table>`;
}
