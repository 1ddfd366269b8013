import { describe, expect, it } from 'vitest';
import { entryOf } from '../src/suggest/formats.ts';

const at = Date.UTC(2026, 10, 29, 13, 36, 2);
/** In the middle of its second, since the log has whole seconds. */
const end = at + 500;
const begin = '10.0.0.1 - - [29/Nov/2026:14:36:02 +0100] "GET /report?id=7 HTTP/1.1"';

describe('entryOf', () => {
  it.each([
    [
      'nginx, with names',
      `${begin} 200 512 "-" "curl/8" rt=0.250 urt=0.125`,
      { took: 125, includesClient: false },
    ],
    [
      'nginx, after two upstreams',
      `${begin} 200 512 "-" "curl/8" rt=0.250 urt=0.125, 0.025`,
      { took: 150, includesClient: false },
    ],
    [
      'nginx, with quoted names',
      `${begin} 200 512 "-" "curl/8" "urt=0.125"`,
      { took: 125, includesClient: false },
    ],
    [
      'nginx, $request_time alone',
      `${begin} 200 512 "-" "curl/8" 0.250`,
      { took: 250, includesClient: true },
    ],
    [
      'nginx, both times at the end',
      `${begin} 200 512 "-" "curl/8" 0.250 0.125`,
      { took: 125, includesClient: false },
    ],
    [
      'nginx, without an upstream',
      `${begin} 200 512 "-" "curl/8" 0.250 -`,
      { took: 250, includesClient: true },
    ],
    ['morgan', `${begin} 200 512 - 125.5 ms`, { took: 125.5, includesClient: false }],
  ])('reads a line of %s', (_, line, expected) => {
    const address = '10.0.0.1';
    expect(entryOf(line)).toEqual({ end, path: '/report', status: 200, address, ...expected });
  });

  it.each([
    [
      'Caddy',
      {
        ts: at / 1000,
        request: { uri: '/report?id=7', remote_ip: '10.0.0.1' },
        duration: 0.125,
        status: 200,
      },
      true,
    ],
    [
      'Caddy, with a duration as text',
      {
        ts: at / 1000,
        request: { uri: '/report', remote_ip: '10.0.0.9', client_ip: '10.0.0.1' },
        duration: '125ms',
        status: 200,
      },
      true,
    ],
    [
      'pino-http',
      {
        time: at,
        req: { url: '/report?id=7', remoteAddress: '::ffff:10.0.0.1' },
        res: { statusCode: 200 },
        responseTime: 125,
      },
      false,
    ],
    [
      'pino-http, with ISO dates',
      {
        time: new Date(at).toISOString(),
        req: { url: '/report', remoteAddress: '10.0.0.1' },
        res: { statusCode: 200 },
        responseTime: 125,
      },
      false,
    ],
  ])('reads a line of %s', (_, line, includesClient) => {
    const address = '10.0.0.1';
    const expected = { end: at, took: 125, path: '/report', status: 200, includesClient, address };
    expect(entryOf(JSON.stringify(line))).toEqual(expected);
  });

  it.each([
    ['seconds', at / 1e3],
    ['milliseconds', at],
    ['microseconds', at * 1e3],
    ['nanoseconds', at * 1e6],
    ['a date', new Date(at).toISOString()],
  ])('reads times in %s', (_, ts) => {
    const line = JSON.stringify({ ts, request: { uri: '/' }, duration: 1, status: 200 });
    expect(entryOf(line)).toMatchObject({ end: at });
  });

  it.each([
    ['pino-http', '{"time":1,"req":{"url":"/"},"res":{"statusCode":null},"responseTime":5}'],
    ['Caddy', '{"ts":1,"request":{"uri":"/"},"duration":0.1,"status":0}'],
  ])('gives requests whose client left the status 499: %s', (_, line) => {
    expect(entryOf(line)).toMatchObject({ status: 499 });
  });

  it.each([
    ['no duration', `${begin} 200 512 "-" "curl/8"`],
    ['no duration', '{"time":1,"req":{"url":"/"},"res":{"statusCode":200}}'],
    ['no duration', '{"ts":1,"request":{"uri":"/"}}'],
    ['no duration', '{"time":1,"req":{"url":"/"},"res":{"statusCode":200},"responseTime":"5"}'],
    ['no duration, since the client left', `${begin} - - - - ms`],
    ['no known format', 'listening on port 3000'],
    ['no known format', '{"msg":"listening"}'],
    ['no known format', '{"time":1,'],
    ['no known format', '{"time":1e300,"req":{"url":"/"},"res":{},"responseTime":5}'],
    ['no known format', '{"time":1,"req":{"url":null},"res":{},"responseTime":5}'],
    ['no known format', '{"time":1,"req":{"url":"/"},"res":{},"responseTime":1e300}'],
    ['no known format', `${'['.repeat(17_000)} ${begin}`],
    ['no known format', `10.0.0.1 - - [yesterday] "GET / HTTP/1.1" 200 512 - 125.5 ms`],
    ['no known format', '{"time":1,"req":{"url":"/"},"res":{"statusCode":200},"responseTime":-5}'],
  ])('says why a line is no entry: %s: %s', (reason, line) => {
    expect(entryOf(line)).toBe(reason);
  });

  it('reads a hostile line in a moment', () => {
    const line = `${'['.repeat(500)}${'] "a '.repeat(3_000)}`;
    const began = performance.now();
    for (let count = 0; count < 100; count++) entryOf(line);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
