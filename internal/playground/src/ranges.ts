/** The numbers that a slider can be set to. */
interface Scale {
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly initial: number;
}

/** A number that a slider sets. */
export interface Range extends Scale {
  readonly label: string;
  /** The value for readers, with its unit. */
  readonly text: (value: number) => string;
}

export function range(label: string, scale: Scale, text: Range['text'] = String): Range {
  return { label, ...scale, text };
}

/** One of several values, each with the text that a select shows. */
export interface Choice<Value extends string> {
  readonly label: string;
  readonly initial: Value;
  readonly options: Readonly<Record<Value, string>>;
}

export function choice<Value extends string>(
  label: string,
  initial: NoInfer<Value>,
  options: Readonly<Record<Value, string>>,
): Choice<Value> {
  return { label, initial, options };
}

/** Whether the slider can be set to the value. */
export function isInRange(value: number, { min, max, step }: Range): boolean {
  if (!(value >= min && value <= max)) return false;
  const steps = (value - min) / step;
  // Rounded, since a step such as 0.1 is not exact.
  return Math.abs(steps - Math.round(steps)) < 1e-6;
}
