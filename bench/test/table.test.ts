import { describe, expect, it } from 'vitest';
import { number, toMarkdown, verdict } from '../src/table.ts';

const goal = { what: 'a / b', target: 1.05, measured: 1.02, unit: '×' };

describe('verdict', () => {
  it('compares with the target', () => {
    expect(verdict(goal)).toBe('reached');
    expect(verdict({ ...goal, measured: 1.06 })).toBe('not reached');
    expect(verdict({ ...goal, measured: Number.NaN })).toBe('not measured');
  });

  it('treats higher values as better with `atLeast`', () => {
    expect(verdict({ ...goal, atLeast: true })).toBe('not reached');
    expect(verdict({ ...goal, atLeast: true, measured: 1.06 })).toBe('reached');
  });

  it('reports an interval that includes the target', () => {
    expect(verdict({ ...goal, interval: { low: 1, high: 1.04 } })).toBe('reached');
    expect(verdict({ ...goal, interval: { low: 1, high: 1.1 } })).toBe('reached, within noise');
    const above = { ...goal, measured: 1.08, interval: { low: 1.01, high: 1.15 } };
    expect(verdict(above)).toBe('not reached, within noise');
  });
});

it('formats three significant digits', () => {
  expect([0.138, 12.34, 138.2, 1_234_567].map(number)).toEqual([
    '0.14',
    '12.3',
    '138',
    '1,234,567',
  ]);
});

it('formats a table and its goals as Markdown', () => {
  const table = { title: 'T', columns: ['', 'ns'], rows: [['x', '1']], goals: [goal] };
  expect(toMarkdown(table)).toContain('| x | 1 |');
  expect(toMarkdown(table)).toContain('| a / b | ≤ 1.05 × | 1.02 × | reached |');
});
