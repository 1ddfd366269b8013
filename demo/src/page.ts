import { answersChart } from './answers-chart.ts';
import { type Comparison, capacityOf, type Run } from './comparison.ts';
import { connections, queryTime } from './database.ts';
import { count, perSecond, seconds } from './format.ts';
import { style } from './page-style.ts';
import { clientTimeout, spikeFactor } from './plan.ts';
import { type Row, rowsOf } from './rows.ts';
import { escapeHtml } from './svg.ts';
import type { Verdict } from './verdict.ts';
import { cross, dot, upright, waitsChart } from './waits-chart.ts';

/** The report as one self-contained file. */
export function page(comparison: Comparison, verdict: Verdict, environment: string): string {
  const { bare, guarded, phases } = comparison;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Headgate demo</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="eyebrow">Headgate demo</p>
<h1>${escapeHtml(verdict.headline)}</h1>
<p class="soft">A page that queries a database: ${perSecond(capacityOf(comparison))} at best. For ${seconds(phases[1].to - phases[1].from)},
${spikeFactor} times as many requests arrive, and each client gives up after ${seconds(clientTimeout)}. Both servers get the same requests.</p>
${legend()}
<div class="pair">
${panel('bare', 'Unprotected', bare, comparison)}
${panel('guarded', 'With Headgate', guarded, comparison)}
</div>
<section class="card">${tableOf(rowsOf(comparison))}</section>
${footer(verdict, environment)}
</main>
</body>
</html>
`;
}

function panel(kind: string, title: string, run: Run, comparison: Comparison): string {
  const { answered, sent } = run.summary;
  return `<section class="card ${kind}">
<h2>${title}</h2>
<p class="figure"><strong>${count(answered)}</strong><span>of ${count(sent)} requests during the spike<br>were answered in time</span></p>
<h3>Answered in time, per second</h3>
${answersChart(run, comparison, title)}
<h3>Wait of each request</h3>
${waitsChart(run, comparison, title)}
</section>`;
}

function legend(): string {
  const item = (mark: string, text: string) =>
    `<li><svg viewBox="0 0 26 14" aria-hidden="true">${mark}</svg>${text}</li>`;
  const line = (kind: string) => `<line class="${kind}" x1="0" x2="26" y1="7" y2="7"/>`;
  const answered = `${line('line')}<path class="answered" d="${dot(13, 7)}"/>`;
  return `<ul class="legend">
${item(answered, 'answered in time')}
${item(`<path class="rejected" d="${[8, 13, 18].map((x) => upright(x, 7)).join('')}"/>`, 'rejected (503)')}
${item(`<path class="gaveUp" d="${[6, 13, 20].map((x) => cross(x, 7)).join('')}"/>`, 'gave up')}
${item(line('asked'), 'requests sent')}
${item(line('capacity'), "the server's capacity")}
${item('<rect class="spike" width="26" height="14" rx="2"/>', 'the spike')}
</ul>`;
}

function tableOf(rows: readonly Row[]): string {
  const body = rows.map(
    ({ label, bare, guarded, detail }) =>
      `<tr${detail ? ' class="detail"' : ''}><th scope="row">${escapeHtml(label)}</th><td>${escapeHtml(bare)}</td><td>${escapeHtml(guarded)}</td></tr>`,
  );
  return `<table>
<thead><tr><th scope="col">During the spike</th><th scope="col">unprotected</th><th scope="col">with Headgate</th></tr></thead>
<tbody>${body.join('\n')}</tbody>
</table>`;
}

function footer(verdict: Verdict, environment: string): string {
  const notes = [
    ...verdict.remarks,
    'In front of the second server: concurrencyLimit(), without any option.',
    `The database is simulated: ${connections} connections, ${queryTime} ms for a query on average, so that the capacity is the same on any machine.`,
    'Server and load generator are two processes on one machine. Requests are sent when they are due, even if earlier ones are unanswered, and waiting counts from then.',
    'Wasted work and the time to recover refer to the whole run; the other figures to the requests sent during the spike.',
    'Recovered: from the end of the spike to the first of five consecutive requests that were all answered in time.',
    environment,
  ];
  return `<footer><ul>${notes.map((note) => `<li>${escapeHtml(note)}</li>`).join('\n')}</ul></footer>`;
}
