import { scaleLinear } from 'd3-scale';
import { drawPanel, type Panel, type Phase } from './panel.ts';
import { escaped, type Frame, rounded, text } from './svg.ts';

/** Panels on a common time axis, one below the other. */
export interface Plot {
  readonly title: string;
  readonly subtitle: string;
  readonly phases: readonly Phase[];
  readonly panels: readonly Panel[];
  /** Default: seconds. */
  readonly unit?: 'minutes';
}

const width = 880;
const margin = { top: 118, left: 64, right: 20, bottom: 46 };
const panelHeight = 150;
const gap = 44;

/** Colours that are distinguishable with colour blindness (Okabe and Ito). */
const colours = ['#d55e00', '#0072b2', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];

/** Draws the plot as SVG. Deterministic, byte for byte. */
export function draw(plot: Plot): string {
  const { panels, phases } = plot;
  const height = margin.top + panels.length * (panelHeight + gap) - gap + margin.bottom;
  const times = panels.flatMap(({ lines }) =>
    Object.values(lines).flatMap((points) => points.map(([time]) => time)),
  );
  const time = scaleLinear([0, Math.max(...times)], [margin.left, width - margin.right]);
  const labels = [...new Set(panels.flatMap(({ lines }) => Object.keys(lines)))];
  const colour = new Map(labels.map((label, index) => [label, colours[index] as string]));
  const frames = panels.map((_, index): Frame => {
    const top = margin.top + index * (panelHeight + gap);
    return { left: margin.left, right: width - margin.right, top, bottom: top + panelHeight };
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
      'font-family="Helvetica, Arial, sans-serif" font-size="12" role="img">',
    `<title>${escaped(plot.title)}</title>`,
    `<rect width="${width}" height="${height}" rx="6" fill="#ffffff"/>`,
    text(margin.left, 28, plot.title, { size: 16, weight: 'bold' }),
    text(margin.left, 47, plot.subtitle, { fill: '#555555' }),
    ...legend(colour),
    ...panels.flatMap((panel, index) =>
      drawPanel(panel, frames[index] as Frame, { time, phases, colour, isFirst: index === 0 }),
    ),
    ...timeAxis(plot, frames.at(-1) as Frame, time),
    '</svg>\n',
  ].join('\n');
}

function legend(colour: ReadonlyMap<string, string>): string[] {
  let left = margin.left;
  return [...colour].flatMap(([label, stroke]) => {
    const from = rounded(left);
    // The width of a text can only be estimated here.
    left += 52 + 5.8 * label.length;
    return [
      `<line x1="${from}" x2="${from + 22}" y1="66" y2="66" stroke="${stroke}" stroke-width="3"/>`,
      text(from + 28, 70, label),
    ];
  });
}

function timeAxis({ unit }: Plot, { bottom, left, right }: Frame, time: Scale): string[] {
  const length = unit === 'minutes' ? 60 : 1;
  const inUnits = time.copy().domain(time.domain().map((seconds) => seconds / length));
  const ticks = inUnits.ticks(12);
  return [
    ...ticks.map((tick) =>
      text(inUnits(tick), bottom + 16, String(tick), { anchor: 'middle', fill: '#555555' }),
    ),
    text((left + right) / 2, bottom + 36, unit ?? 'seconds', { anchor: 'middle' }),
  ];
}

type Scale = ReturnType<typeof scaleLinear<number, number>>;
