import { type ScaleContinuousNumeric, scaleLinear, scaleSymlog } from 'd3-scale';
import { line } from 'd3-shape';
import { type Frame, rounded, text } from './svg.ts';

/** Seconds, and a value: NaN if there is none. */
export type Point = readonly [time: number, value: number];

/** Lines over time on one scale. */
export interface Panel {
  /** The meaning of the values and their unit. */
  readonly title: string;
  /** Whether the scale is logarithmic, with 0 below 1. Default: false. */
  readonly logarithmic?: boolean;
  /** By their names in the legend. */
  readonly lines: Readonly<Record<string, readonly Point[]>>;
}

/** An interval in seconds, shown as a labelled band. */
export interface Phase {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

type Scale = ScaleContinuousNumeric<number, number>;

interface PanelContext {
  readonly time: Scale;
  readonly phases: readonly Phase[];
  readonly colour: ReadonlyMap<string, string>;
  /** Whether this panel shows the labels of the phases. */
  readonly isFirst: boolean;
}

export function drawPanel(panel: Panel, frame: Frame, context: PanelContext): string[] {
  const { time, phases, colour, isFirst } = context;
  const { left, top } = frame;
  const value = scaleOf(panel, frame);
  const path = line<Point>(
    ([seconds]) => time(seconds),
    ([, height]) => value(height),
  )
    .defined(([, height]) => !Number.isNaN(height))
    .digits(1);
  return [
    ...bands(phases, frame, time, isFirst),
    text(left, top - 8, panel.title, { weight: 'bold' }),
    ...valueAxis(panel, frame, value),
    ...Object.entries(panel.lines).map(
      ([label, points]) =>
        `<path d="${path(points) ?? ''}" fill="none" stroke="${colour.get(label)}" stroke-width="1.8" ` +
        'stroke-linejoin="round"/>',
    ),
  ];
}

function scaleOf({ lines, logarithmic }: Panel, { top, bottom }: Frame): Scale {
  const values = Object.values(lines).flatMap((points) => points.map(([, value]) => value));
  const max = Math.max(1, ...values.filter((value) => !Number.isNaN(value)));
  const range = [bottom, top];
  return logarithmic === true
    ? scaleSymlog([0, 10 ** Math.ceil(Math.log10(max))], range).constant(0.3)
    : scaleLinear([0, max], range).nice(4);
}

function valueAxis({ logarithmic }: Panel, { left, right }: Frame, value: Scale): string[] {
  const [, max = 0] = value.domain();
  const powers = [0];
  for (let power = 1; power <= max; power *= 10) powers.push(power);
  const ticks = logarithmic === true ? powers : value.ticks(4);
  return ticks.flatMap((tick) => {
    const y = rounded(value(tick));
    const label = tick.toLocaleString('en-US');
    return [
      `<line x1="${left}" x2="${right}" y1="${y}" y2="${y}" stroke="#dddddd"/>`,
      text(left - 8, y + 4, label, { anchor: 'end', fill: '#555555' }),
    ];
  });
}

function bands(
  phases: readonly Phase[],
  { top, bottom }: Frame,
  time: Scale,
  isLabelled: boolean,
): string[] {
  return phases.flatMap(({ from, to, label }) => {
    // Leaves a gap between adjacent phases.
    const x = rounded(time(from) + 1);
    const width = rounded(time(to) - time(from) - 2);
    const band = `<rect x="${x}" y="${top}" width="${width}" height="${bottom - top}" fill="#f1f1f4"/>`;
    const middle = time((from + to) / 2);
    const caption = text(middle, top - 26, label, { anchor: 'middle', fill: '#555555' });
    return isLabelled ? [band, caption] : [band];
  });
}
