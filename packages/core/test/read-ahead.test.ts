import { expect, it } from 'vitest';
import { readAhead } from '../src/http/read-ahead.ts';

/** An upload whose stream buffers 16 kB. */
const upload = (properties = {}) => ({
  headers: { 'content-length': '100000' },
  httpVersionMajor: 1,
  readableLength: 0,
  _readableState: { highWaterMark: 16_384 },
  ...properties,
});

type Upload = ReturnType<typeof upload>;

/** Reads ahead until the returned function is called, which resolves afterwards. */
function queue(request: Upload): () => Promise<void> {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  readAhead(request as never, answered);
  return () => {
    answer();
    return answered;
  };
}

it('up to 128 kB of a queued upload are buffered until it is answered', async () => {
  const request = upload();
  const answer = queue(request);
  expect(request._readableState.highWaterMark).toBe(131_072);
  await answer();
  expect(request._readableState.highWaterMark).toBe(16_384);
});

it.each([
  ['has no body', upload({ headers: {} })],
  ['uses HTTP/2', upload({ httpVersionMajor: 2 })],
])('the buffer of a queued request that %s stays as it is', async (_, request) => {
  const answer = queue(request);
  expect(request._readableState.highWaterMark).toBe(16_384);
  await answer();
});

it('at most 256 queued uploads are buffered', async () => {
  const answers = Array.from({ length: 256 }, () => queue(upload()));
  const [first, second] = [upload(), upload()];
  queue(first);
  expect(first._readableState.highWaterMark).toBe(16_384);
  await answers.pop()?.();
  answers.push(queue(second));
  expect(second._readableState.highWaterMark).toBe(131_072);
  for (const answer of answers) await answer();
});
