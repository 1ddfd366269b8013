/** The position of a panel in pixels. */
export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Style {
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly fill?: string;
  readonly size?: number;
  readonly weight?: 'bold';
}

export function text(x: number, y: number, content: string, style: Style = {}): string {
  const { anchor = 'start', fill = '#222222', size = 12, weight = 'normal' } = style;
  return (
    `<text x="${rounded(x)}" y="${rounded(y)}" text-anchor="${anchor}" fill="${fill}" ` +
    `font-size="${size}" font-weight="${weight}">${escaped(content)}</text>`
  );
}

export function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

export function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
