import { describe, expect, test } from 'vitest';
import { escapeHtml, ticks } from '../../src/try/charts.ts';
import { milliseconds, percent, perSecond } from '../../src/try/format.ts';
import { pageOf } from '../../src/try/report.ts';
import { resultOf, rowsOf } from '../../src/try/result.ts';
import { passOf } from './passes.ts';

const plan = { clients: 8, multiple: 5, timeout: 1_000 };
const passes = [passOf(false, 0.2, 0, 'gaveUp'), passOf(true, 1, 1, 'rejected')];
const result = resultOf(passes, plan, [new URL(`http://localhost/?a=<b>"Node"&co`)]);

test('the table begins with what comes afterwards', () => {
  const [heading, first] = rowsOf(result);
  expect(heading).toEqual(['', 'as it is', 'with the hook']);
  expect(first).toEqual(['afterwards: answered', '0 %', '100 %']);
});

test('a server that runs already is compared with nothing', () => {
  const alone = resultOf(passes.slice(0, 1), plan, []);
  expect(alone.verdict).toBeUndefined();
  expect(alone.sentence).toMatch(/afterwards 0 % of the requests\. Nothing was compared\.$/);
  expect(rowsOf(alone)[0]).toEqual(['', 'as it is']);
});

describe('the report', () => {
  const html = pageOf(result, rowsOf(result));
  test('fetches nothing', () => {
    expect(html).not.toMatch(/src=|href=|@import|url\(|<script/);
  });
  test('escapes its input', () => {
    expect(html).not.toContain('<b>');
    expect(html).toContain('&#38;co');
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
  expect([perSecond(4.25), perSecond(42.4)]).toEqual(['4.3/s', '42/s']);
  expect([percent(0.899), percent(0.29)]).toEqual(['89 %', '29 %']);
  expect([3.21, 412.3, 999, 16_340].map(milliseconds)).toEqual([
    '3.2 ms',
    '412 ms',
    '1.0 s',
    '16.3 s',
  ]);
});
