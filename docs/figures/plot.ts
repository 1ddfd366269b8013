import { rowsUnder } from './tables.ts';

const panels = [
  { heading: 'Handlers that wait for a database', title: '50 ms of a database' },
  { heading: "Handlers that wait for libuv's threads", title: "25 ms of libuv's threads" },
  {
    heading: 'The same with a connection for each request',
    title: '10 ms of CPU, new connections',
  },
  { heading: 'Handlers that compute', title: '10 ms of CPU, keep-alive' },
] as const;

// Distinguishable without colour vision, after Okabe and Ito.
const lines = [
  { name: 'bare', label: 'Express without a limit', colour: '#d55e00', isDashed: true },
  { name: 'headgate', label: 'with Headgate', colour: '#0072b2', isDashed: false },
] as const;

const panel = { width: 176, height: 130, gap: 42, left: 74, top: 108 };
const width = panel.left + panels.length * (panel.width + panel.gap);
const height = panel.top + panel.height + 54;
/** The loads that have a label: there is no room for all. */
const labelled = ['0.5 ×', '1 ×', '2 ×', '5 ×', '10 ×', '20 ×'];
/** The highest value of the axis: what is answered in time, relative to the capacity. */
const top = 1.2;

/** What Express servers answer in time at each load, as an SVG: the tables of docs/lab/overload-measured.md. */
export function drawMeasured(page: string): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
      'font-family="Helvetica, Arial, sans-serif" font-size="12" role="img">',
    '<title>Requests answered in time at up to twenty times the capacity, measured</title>',
    `<rect width="${width}" height="${height}" rx="6" fill="#ffffff"/>`,
    text(16, 28, 'Measured: requests answered in time', { size: 16, weight: 'bold' }),
    ...legend(),
    yTitle('answered in time ÷ capacity'),
    ...panels.flatMap(({ heading, title }, index) => {
      const x = panel.left + index * (panel.width + panel.gap);
      return drawPanel(title, rowsUnder(page, heading), x);
    }),
    text(width / 2, height - 12, 'load ÷ capacity', { anchor: 'middle' }),
    '</svg>\n',
  ].join('\n');
}

function legend(): string[] {
  return lines.flatMap(({ label, colour, isDashed }, index) => {
    const x = 16 + index * 210;
    return [
      `<line x1="${x}" x2="${x + 28}" y1="50" y2="50" stroke="${colour}" stroke-width="3"${dashes(isDashed)}/>`,
      text(x + 36, 54, label),
    ];
  });
}

function drawPanel(title: string, rows: readonly string[][], x: number): string[] {
  const loads = rows
    .filter(([name, load = '']) => name === 'bare' && load.endsWith(' ×'))
    .map(([, load = '']) => load);
  const step = panel.width / (loads.length - 1);
  return [
    text(x, panel.top - 14, title, { weight: 'bold' }),
    ...[0, 0.5, 1].flatMap((value) => [
      `<line x1="${x}" x2="${x + panel.width}" y1="${heightOf(value)}" y2="${heightOf(value)}" stroke="#dddddd"/>`,
      text(x - 6, heightOf(value) + 4, String(value), { anchor: 'end', fill: '#555555' }),
    ]),
    ...loads.flatMap((load, index) => loadLabel(x + index * step, load)),
    ...lines.map(({ name, colour, isDashed }) => {
      const points = rows
        .filter(([first, load = '']) => first === name && loads.includes(load))
        .map(([, , answered], index) => `${x + index * step},${heightOf(Number(answered))}`);
      if (points.length !== loads.length) throw new Error(`"${title}" lacks loads of ${name}`);
      return (
        `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2.5" ` +
        `stroke-linejoin="round"${dashes(isDashed)}/>`
      );
    }),
  ];
}

/** A tick, with a label where there is room for one. */
function loadLabel(x: number, load: string): string[] {
  const y = panel.top + panel.height;
  const tick = `<line x1="${x}" x2="${x}" y1="${y}" y2="${y + 4}" stroke="#999999"/>`;
  if (!labelled.includes(load)) return [tick];
  return [
    tick,
    text(x, y + 18, load.replace(' ', ''), { anchor: 'middle', fill: '#555555', size: 11 }),
  ];
}

/** The title of the axis that all panels share, from bottom to top. */
function yTitle(content: string): string {
  const y = panel.top + panel.height / 2;
  const title = text(0, 0, content, { anchor: 'middle' });
  return `<g transform="translate(24 ${y}) rotate(-90)">${title}</g>`;
}

function heightOf(value: number): number {
  if (Number.isNaN(value)) throw new Error('a value of the table is not a number');
  return Math.round((panel.top + panel.height * (1 - value / top)) * 10) / 10;
}

function dashes(isDashed: boolean): string {
  return isDashed ? ' stroke-dasharray="7 4"' : '';
}

interface Style {
  readonly anchor?: 'middle' | 'end';
  readonly fill?: string;
  readonly size?: number;
  readonly weight?: 'bold';
}

function text(x: number, y: number, content: string, style: Style = {}): string {
  const { anchor = 'start', fill = '#222222', size = 12, weight = 'normal' } = style;
  return (
    `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${fill}" font-size="${size}" ` +
    `font-weight="${weight}">${content}</text>`
  );
}
