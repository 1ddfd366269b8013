import { answersChart, escapeHtml, marksOf, maxOf, waitsChart } from './charts.ts';
import type { Pass } from './figures.ts';
import { percent } from './format.ts';
import type { Result } from './result.ts';
import { style } from './style.ts';

/** The report as one self-contained file. */
export function pageOf(result: Result, rows: readonly (readonly string[])[]): string {
  const { sentence, notes, typical, urls } = result;
  const max = maxOf(typical);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>headgate try</title>
<style>${style}</style>
<main>
<p class="eyebrow">headgate try ${escapeHtml(urls.join(' '))}</p>
<h1>${escapeHtml(sentence).replaceAll(' %', '&nbsp;%')}</h1>
${legend}
<div class="pair">
${typical.map((pass) => panel(pass, result, max)).join('\n')}
</div>
<section class="card">${tableOf(rows)}</section>
<footer><ul>${notes.map((note) => `<li>${escapeHtml(note)}`).join('\n')}</ul></footer>
</main>
</html>
`;
}

function panel(pass: Pass, { figures, timeout }: Result, max: number): string {
  const [kind, title] = pass.isHooked ? ['guarded', 'With the hook'] : ['bare', 'As it is'];
  const { afterwards = 0 } = figures[pass.isHooked ? 1 : 0] ?? {};
  return `<section class="card ${kind}">
<h2>${title}</h2>
<p class="figure"><strong>${percent(afterwards)}</strong><span>of the requests after the spike<br>were answered in time</span></p>
<h3>Answered in time, per second</h3>
${answersChart(pass, max, title)}
<h3>Wait of each request</h3>
${waitsChart(pass, timeout, title)}
</section>`;
}

const item = (mark: string, text: string) =>
  `<li><svg viewBox="0 0 26 14" aria-hidden="true">${mark}</svg>${text}</li>`;
const line = (kind: string) => `<line class="${kind}" x1="0" x2="26" y1="7" y2="7"/>`;
const marks = (outcome: 'answered' | 'rejected' | 'gaveUp', ...places: number[]) =>
  `<path class="${outcome}" d="${places.map((x) => marksOf[outcome](x, 7)).join('')}"/>`;
const legend = `<ul class="legend">
${item(line('line') + marks('answered', 13), 'answered in time')}
${item(marks('rejected', 8, 13, 18), 'rejected (503)')}
${item(marks('gaveUp', 6, 13, 20), 'gave up, or failed')}
${item(line('asked'), 'requests sent')}
${item(line('capacity'), "the server's capacity")}
${item('<rect class="spike" width="26" height="14" rx="2"/>', 'the spike')}
</ul>`;

function tableOf(rows: readonly (readonly string[])[]): string {
  const lines = rows.map(([label = '', ...cells], index) => {
    const cellOf = (text: string) =>
      index === 0 ? `<th scope="col">${text}</th>` : `<td>${text}</td>`;
    const values = cells.map((cell) => cellOf(escapeHtml(cell)));
    return `<tr><th scope="row">${escapeHtml(label)}</th>${values.join('')}</tr>`;
  });
  return `<table>${lines.join('\n')}</table>`;
}
