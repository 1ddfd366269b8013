/** The media types of a rejection, most preferred first: `*` and a missing header get the first. */
const mediaTypes = ['application/problem+json', 'text/html', 'text/plain'] as const;

export type MediaType = (typeof mediaTypes)[number];

/** The ranges that match each media type, most specific first (RFC 9110, 12.5.1). */
const ranges: Record<MediaType, readonly string[]> = {
  'application/problem+json': [
    ...['application/problem+json', 'application/json', 'application/*', '*/*'],
  ],
  'text/html': ['text/html', 'text/*', '*/*'],
  'text/plain': ['text/plain', 'text/*', '*/*'],
};

/** The media type the client prefers; plain text, which every client can read, if it accepts none of them. */
export function preferred(accept: string | undefined): MediaType {
  if (accept === undefined || accept === '' || accept === '*/*') return mediaTypes[0];
  const qualities = parse(accept);
  let best: MediaType = 'text/plain';
  let bestQuality = 0;
  for (const type of mediaTypes) {
    const known = ranges[type].map((range) => qualities.get(range));
    const quality = known.find((one) => one !== undefined) ?? 0;
    if (quality <= bestQuality) continue;
    best = type;
    bestQuality = quality;
  }
  return best;
}

/** A client may send kilobytes of ranges; no real one needs more characters than these. */
const MAX_ACCEPT_LENGTH = 1000;

function parse(accept: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const part of accept.slice(0, MAX_ACCEPT_LENGTH).split(',')) {
    const [range = '', ...parameters] = part.split(';');
    const q = parameters
      .map((text) => text.trim().toLowerCase())
      .find((text) => text.startsWith('q='));
    const quality = q === undefined ? 1 : Number(q.slice(2));
    qualities.set(range.trim().toLowerCase(), quality >= 0 && quality <= 1 ? quality : 0);
  }
  return qualities;
}
