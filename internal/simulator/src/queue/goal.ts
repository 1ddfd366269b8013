/** A figure that was measured in one setting. */
export interface Case {
  readonly setting: string;
  readonly value: number;
}

/** One of the figures of each setting. */
export function casesFrom<Name extends string>(
  figures: readonly (Pick<Case, 'setting'> & Readonly<Record<Name, number>>)[],
  name: Name,
): Case[] {
  return figures.map(({ setting, [name]: value }) => ({ setting, value }));
}

/** A goal that each setting must reach. */
export interface Goal {
  readonly what: string;
  readonly unit: string;
  readonly target: number;
  /** Whether higher is better. */
  readonly isLeast: boolean;
  /** The setting that is farthest from the goal. NaN if nothing was measured, which misses it. */
  readonly worst: Case;
}

/** A goal for the lowest value. */
export function atLeast(what: string, target: number, unit: string, cases: readonly Case[]): Goal {
  const worst = extreme(cases, (one, other) => one < other);
  return { what, unit, target, isLeast: true, worst };
}

/** A goal for the highest value. */
export function atMost(what: string, target: number, unit: string, cases: readonly Case[]): Goal {
  const worst = extreme(cases, (one, other) => one > other);
  return { what, unit, target, isLeast: false, worst };
}

export function isReached({ isLeast, target, worst: { value } }: Goal): boolean {
  return isLeast ? value >= target : value <= target;
}

/** A value that is not a number is the worst one. */
function extreme(cases: readonly Case[], isWorse: (one: number, other: number) => boolean): Case {
  const none: Case = { setting: 'nothing was measured', value: Number.NaN };
  const isInvalid = cases.find(({ value }) => Number.isNaN(value));
  if (isInvalid !== undefined || cases.length === 0) return isInvalid ?? none;
  return cases.reduce((one, other) => (isWorse(other.value, one.value) ? other : one));
}

/** The value in bold if the goal is missed. */
export function shownValue(goal: Goal): string {
  const value = shownNumber(goal.worst.value);
  return isReached(goal) ? value : `**${value}**`;
}

/** Such as `≥ 96 %`. */
export function shownTarget({ isLeast, target, unit }: Goal): string {
  return `${isLeast ? '≥' : '≤'} ${target} ${unit}`;
}

/** With one decimal, unless it is whole. */
function shownNumber(value: number): string {
  const text = value.toFixed(1).replace(/\.0$/, '');
  return text === '-0' ? '0' : text.replace('-', '−');
}
