// Where a runtime differs from Node. Each row names the tests that show it: they fail on that runtime, and if one no
// longer does, the run fails too.

import { idOf } from './runtimes.mjs';

/**
 * @typedef {object} Difference
 * @property {readonly string[]} on the runtimes, as the command line names them
 * @property {string} where
 * @property {string} text what an application notices
 * @property {RegExp} tests titles of the tests that fail
 * @property {boolean} [isRare] whether they fail only at times
 */

/** @type {readonly Difference[]} */
export const differences = [
  {
    ...{ on: ['node-24', 'node-26'], where: '`node:http`' },
    text: "If the handler of a pipelined request destroys its response before its turn, the connection remains open. In Express, the destroyed request's permit is released.",
    tests: /^Express 5 > .*waits for the permit of a later, destroyed request$/,
  },
  {
    ...{ on: ['bun'], where: '`node:http`', isRare: true },
    text: 'After a disconnect, a pipelined request counts as destroyed by the application: in Express its permit is released before its handler responds.',
    tests:
      /^Express 5 > .*(permits of all pipelined requests when their connection breaks|clients that disconnect while their requests are pipelined)$/,
  },
  {
    ...{ on: ['bun'], where: '`node:http`', isRare: true },
    text: 'The socket of a rejected large upload may remain open on the server until the client closes it.',
    tests: /^(Express 5|Koa 3) > .*rejects a large upload( in chunks)? without draining it$/,
  },
  {
    ...{ on: ['bun'], where: '`Bun.serve`' },
    text: 'A response does not repeat the `Connection: close` of its request.',
    tests:
      /^(Hono 4|web-standard handlers) .* > rejects a request beyond the limit with 503 and Retry-After$/,
  },
  {
    ...{ on: ['bun'], where: '`Bun.serve`' },
    text: 'A handler that returns `new Response(text)` must set its `Content-Type`; `c.text()` does.',
    tests:
      /^keeps the default content type of new Response\(\)$|^web-standard handlers .* > admits a request immediately and adds nothing to the response$/,
  },
  {
    ...{ on: ['bun', 'deno'], where: '`Bun.serve`, `Deno.serve`' },
    text: 'The default limit counts requests whose body is still arriving.',
    tests:
      /^Hono 4 .* > (does not count requests whose body is still arriving, until it|counts requests as soon as their body) has arrived$/,
  },
  {
    ...{ on: ['bun', 'deno'], where: '`Bun.serve`, `Deno.serve`' },
    text: 'While the application closes, rejections do not end their connection with `Connection: close`.',
    tests: /^Hono 4 .* > close\(\) lets running requests finish and rejects queued and new ones$/,
  },
  {
    ...{ on: ['deno'], where: '`node:http`' },
    text: 'If a Koa handler destroys the response by a failed `pipeline`, the client receives a 404 instead of a broken connection.',
    tests: /^Koa 3 > .* immediately when the handler ends its response by a pipeline that fails$/,
  },
  {
    ...{ on: ['deno'], where: '`node:http`' },
    text: 'A short chunked upload has arrived completely before its rejection, so its connection is kept.',
    tests: /^Koa 3 > .*kept or closed after an upload in one chunk$/,
  },
  {
    ...{ on: ['deno'], where: '`Deno.serve`' },
    text: 'A limited response has `Transfer-Encoding: chunked` instead of `Content-Length`, because its body is observed. `request.signal` aborts after each response, of which Deno warns once.',
    tests:
      /^(Hono 4|web-standard handlers) .* > admits a request immediately and adds nothing to the response$/,
  },
  {
    ...{ on: ['deno'], where: '`Deno.serve`' },
    text: 'The permit of a large response is released once Deno has read its body, even if a slow client has not received it.',
    tests: /^Hono 4 .* > holds the permit until a slow reader has received a large response$/,
  },
  {
    ...{ on: ['deno'], where: '`Deno.serve`' },
    text: 'The disconnect of a client that has sent a part of a large upload is not noticed while its request is queued.',
    tests:
      /^Hono 4 .* > notices the disconnect of a client that has sent 100 kB of an upload: (destroy|resetAndDestroy)$/,
  },
];

/** The row that explains why a test fails on a runtime. */
export const reasonOf = (runtime, { title }) =>
  differences.find(({ on, tests }) => on.includes(idOf(runtime)) && tests.test(title));

/** The rows of a runtime that no failed test shows. */
export const unshown = (runtime, failed) =>
  differences.filter(
    ({ on, tests, isRare }) =>
      on.includes(idOf(runtime)) && !isRare && !failed.some(({ title }) => tests.test(title)),
  );
