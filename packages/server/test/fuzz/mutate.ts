/** A seeded random number generator (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;

const request = (line: string, body?: string, type = 'application/json') => {
  const head = `${line} HTTP/1.1\r\nHost: localhost\r\n`;
  if (body === undefined) return `${head}\r\n`;
  return `${head}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

const valid = [
  request('POST /new_peer', '{"expires_in":"5m"}'),
  request('POST /new_peer', '{"expires_in":"1ms"}'),
  request('PUT /peers/7', '{"expires_in":"1h 30m"}'),
  request('PUT /peers/7/A?block_for=1ms&expires_in=1m+40s', '1'),
  request('PUT /peers/8/A?block_for=1ms', '2'),
  request('PUT /peers/9/B?', '1'),
  request('DELETE /peers/7/A'),
  request('DELETE /peers/8'),
  request('GET /peers/7/is_acquired'),
  request('GET /peers/'),
  request('GET /remainder?semaphore=A'),
  request('POST /restore', '{"expires_in":"5m","peer_id":8,"acquired":{"A":3,"B":1}}'),
  request('POST /restore', '{"expires_in":"5m","peer_id":18446744073709551615,"acquired":{}}'),
  request('GET /metrics'),
  request('GET /health'),
  request('GET /nothing'),
];

const words = [
  '18446744073709551615',
  '18446744073709551616',
  '-9223372036854775808',
  '99999999999999999999999999999999',
  '-1',
  '0',
  '1e999',
  '1.5',
  'NaN',
  'null',
  'true',
  '""',
  '[]',
  '{}',
  '[[[[[[[[',
  '"\\ud800"',
  '__proto__',
  'constructor',
  'is_acquired',
  '%00',
  '%2F',
  '%FF',
  '%',
  '..',
  '//',
  '?',
  '&&',
  '=',
  '+',
  '#',
  '\u0000',
  '\r\n',
  '\r\n\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 5\r\n',
  'Expect: 100-continue\r\n',
  'Upgrade: websocket\r\nConnection: Upgrade\r\n',
  'Connection: close\r\n',
  'Host: [::1\r\n',
  'HTTP/1.0',
  'OPTIONS *',
  'CONNECT a:1',
  'TRACE /',
  'http://other/peers/7',
  '18446744073709551615s',
  '584542046091y',
  '1ns',
  '𝔘',
];

/** A valid request with one to three random mutations. */
export function mutated(random: Random): Buffer {
  const below = (max: number) => Math.floor(random() * max);
  let bytes = Buffer.from(pick(valid, random));
  for (let times = 1 + below(3); times > 0; times--) {
    const at = below(bytes.length + 1);
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
    const length = below(8);
    const mutations = [
      () => [before, Buffer.from([below(256)]), after.subarray(1)],
      () => [before, after.subarray(length)],
      () => [before, after.subarray(0, length), after],
      () => [before, Buffer.from(pick(words, random)), after],
      () => [before, Buffer.from(pick(words, random)), after.subarray(length)],
      () => [before],
      () => [before, Buffer.alloc(below(300), pick(words, random)), after],
      () => inPlaceOfANumber(bytes, pick(words, random), random),
      () => inPlaceOfANumber(bytes, pick(words, random), random),
    ];
    bytes = Buffer.concat(pick(mutations, random)());
  }
  return bytes;
}

/**
 * Replaces numbers and strings, where most of the parsing happens. Corrects Content-Length, so that the body is read at
 * all.
 */
function inPlaceOfANumber(bytes: Buffer, word: string, random: Random): Buffer[] {
  const [head = '', ...rest] = bytes.toString('latin1').split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  const swap = (text: string) =>
    text.replace(/\d+|"[^"]*"/g, (old) => (random() < 0.4 ? word : old));
  const line = head.slice(0, head.indexOf('\r\n'));
  const swapped = swap(body);
  const length = Buffer.byteLength(swapped);
  const headers = head
    .slice(line.length)
    .replace(/Content-Length: \d+/, `Content-Length: ${length}`);
  const target = line.replace(/ .* /, (old) => swap(old));
  return [Buffer.from(`${target}${headers}\r\n\r\n${swapped}`)];
}

function pick<T>(of: readonly T[], random: Random): T {
  return of[Math.floor(random() * of.length)] as T;
}
