import { describe, expect, it, test } from 'vitest';
import { quantile } from '../../src/load/index.ts';
import { type Figures, figuresOf, mediansOf } from '../../src/try/figures.ts';
import { judge } from '../../src/try/verdict.ts';
import { figures, passOf } from './passes.ts';

const three = (changes: Partial<Figures> = {}) => [0, 0, 0].map(() => figures(changes));
const collapsed = three({ spike: 0.2, afterwards: 0 });

describe('the verdict is', () => {
  it.each([
    [
      'helps',
      collapsed,
      three(),
      'Headgate helps this server: it answered 0 % of the requests after the spike without the hook and 100 % with it, and 0.20 and 1.00 of its capacity during the spike.',
    ],
    ['helps', three({ spike: 0.4 }), three({ spike: 0.9 }), /0\.40 and 0\.90 of its capacity/],
    [
      'no need',
      three({ spike: 1.26 }),
      three({ spike: 0.71 }),
      /^No need: this server survives the spike by itself/,
    ],
    ['harms', three({ spike: 0.8 }), three({ spike: 0.2 }), /^Headgate harms this server/],
    ['harms', three(), three({ afterwards: 0.7 }), /^Headgate harms/],
    ['harms', three(), three({ before: 0.9 }), /^Headgate harms/],
    ['harms', three(), three({ capacity: 50 }), /^Headgate harms/],
  ])('%s', (expected, bare, hooked, sentence) => {
    const judged = judge(bare, hooked);
    expect(judged.verdict).toBe(expected);
    expect(judged.sentence).toMatch(sentence);
  });

  it.each([
    ['nothing changes', collapsed, collapsed, /the hook makes no difference/],
    [
      'the server fails before the spike',
      three({ before: 0.98 }),
      three(),
      /before the spike, .* only 98 %/,
    ],
    [
      'the generator was late',
      three({ late: 180 }),
      three(),
      /late: .* more than 180 ms after its time/,
    ],
    [
      'the machine was not steady',
      [...three(), figures({ capacity: 60 })],
      three(),
      /100\/s, .*60\/s/,
    ],
    [
      'rounds disagree',
      [...collapsed.slice(1), figures()],
      [...three().slice(1), figures({ afterwards: 0.5 })],
      /the rounds disagree: .*round 3/,
    ],
  ])('none if %s', (_, bare, hooked, reason) => {
    expect(() => judge(bare, hooked)).toThrow(reason);
    // Only then, the demo fails.
    const isCertain = bare === hooked;
    expect(() => judge(bare, hooked)).toThrow(expect.objectContaining({ isCertain }));
  });

  it('that of the medians: one odd round of three does not matter', () => {
    const odd = [...three().slice(1), figures({ late: 500 })];
    expect(judge(collapsed, odd).verdict).toBe('helps');
    const slower = [...collapsed.slice(1), figures({ afterwards: 0.9 })];
    expect(judge(slower, three()).verdict).toBe('helps');
  });
});

test('figures count answers when they arrive, relative to the capacity', () => {
  const { spike, afterwards, before, rejected, gaveUp } = figuresOf(
    passOf(true, 0.5, 0.9, 'rejected'),
  );
  expect(spike).toBeCloseTo(0.5, 1);
  expect([before, gaveUp]).toEqual([1, 0]);
  expect(afterwards).toBeCloseTo(0.9);
  expect(rejected).toBeCloseTo(0.9);
});

test('a quantile is the nearest rank, and NaN of no values', () => {
  expect([0.5, 0.51, 0.99, 0].map((share) => quantile([30, 10, 20, 40], share))).toEqual([
    20, 30, 40, 10,
  ]);
  expect(quantile([], 0.5)).toBeNaN();
  expect(mediansOf([figures({ p50: 3 }), figures({ p50: 1 }), figures({ p50: 2 })]).p50).toBe(2);
});
