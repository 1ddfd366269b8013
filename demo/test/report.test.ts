import { describe, expect, test } from 'vitest';
import { duration, percent, perSecond } from '../src/format.ts';
import { page } from '../src/page.ts';
import { rowsOf } from '../src/rows.ts';
import { escapeHtml, ticks } from '../src/svg.ts';
import { table } from '../src/table.ts';
import { judge } from '../src/verdict.ts';
import { comparisonOf } from './attempts.ts';

const comparison = comparisonOf(5, 19);

describe('table', () => {
  const lines = table(rowsOf(comparison)).split('\n');
  test('aligns its columns', () => {
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  });
  test('reports the wasted work, and a recovery that did not happen', () => {
    expect(lines.find((line) => line.includes('Wasted work'))).toMatch(/25 \(25 %\)/);
    const { bare } = comparison;
    const stuck = { ...bare, summary: { ...bare.summary, recovery: undefined } };
    expect(table(rowsOf({ ...comparison, bare: stuck }))).toMatch(/not within 2 s/);
  });
  test('has a row for failures only if there are any', () => {
    expect(lines.join()).not.toMatch(/Failed/);
    const { bare } = comparison;
    const broken = { ...bare, summary: { ...bare.summary, failed: 3 } };
    expect(table(rowsOf({ ...comparison, bare: broken }))).toMatch(/Failed otherwise +3 +0/);
  });
});

describe('page', () => {
  const html = page(comparison, judge(comparison), '<b>"Node" & co</b>');
  test('fetches nothing', () => {
    expect(html).not.toMatch(/https?:|src=|href=|@import|url\(|<script/);
  });
  test('escapes its input', () => {
    expect(html).not.toContain('<b>');
    expect(html).toContain('&#60;b&#62;&#34;Node&#34; &#38; co');
  });
  test('draws numbers only', () => expect(html).not.toMatch(/NaN|Infinity|undefined/));
  test('names each chart', () => {
    expect(html.match(/role="img" aria-label="[^"]+"/g)).toHaveLength(4);
  });
});

test('escapeHtml leaves nothing that could end an attribute or start a tag', () => {
  expect(escapeHtml(`<a b="c" d='e'>&`)).not.toMatch(/[<>"']|&(?!#\d+;)/);
});

test('ticks are round and stay within the axis', () => {
  expect(ticks(62, 4)).toEqual([0, 20, 40, 60]);
  expect(ticks(21, 6)).toEqual([0, 5, 10, 15, 20]);
});

test('figures are formatted for people', () => {
  expect([perSecond(4.25), perSecond(42.4), percent(0.899), percent(0.29)]).toEqual([
    '4.3/s',
    '42/s',
    '89 %',
    '29 %',
  ]);
  expect([duration(3.21), duration(412.3), duration(999), duration(16_340)]).toEqual([
    '3.2 ms',
    '412 ms',
    '1.0 s',
    '16.3 s',
  ]);
});
