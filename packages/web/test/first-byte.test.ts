import { concurrencyLimit } from '@headgate/web';
import { expect, it } from 'vitest';

/** An adaptive limit that records the outcomes it judges. */
function recorded() {
  const outcomes: string[] = [];
  const create = () => ({
    limit: 5,
    sample: ({ outcome }: { outcome: string }) => void outcomes.push(outcome),
  });
  return { outcomes, limit: { create } };
}

const open = () =>
  new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('first ')),
  });

it('with sampleAt: first-byte, a streamed response is judged at its first chunk', async () => {
  const { outcomes, limit } = recorded();
  const handle = concurrencyLimit({ limit, sampleAt: 'first-byte' });
  const response = await handle(new Request('http://localhost/'), () => new Response(open()));
  const reader = response.body?.getReader();
  await reader?.read();
  expect([outcomes, handle.holders]).toEqual([['ok'], 1]);
  await reader?.cancel();
  expect([outcomes, handle.holders]).toEqual([['ok'], 0]);
});

it('by default, a streamed response is judged at its end', async () => {
  const { outcomes, limit } = recorded();
  const handle = concurrencyLimit({ limit });
  const response = await handle(new Request('http://localhost/'), () => new Response(open()));
  const reader = response.body?.getReader();
  await reader?.read();
  expect(outcomes).toEqual([]);
  await reader?.cancel();
  expect(outcomes).toEqual(['ok']);
});

it('with sampleAt: first-byte, a response that counts as dropped is judged at its end', async () => {
  const { outcomes, limit } = recorded();
  const classify = ({ ok }: Response) => (ok ? 'ok' : 'dropped');
  const handle = concurrencyLimit({ limit, sampleAt: 'first-byte', classify });
  const response = await handle(
    new Request('http://localhost/'),
    () => new Response(open(), { status: 529 }),
  );
  const reader = response.body?.getReader();
  await reader?.read();
  expect(outcomes).toEqual([]);
  await reader?.cancel();
  expect(outcomes).toEqual(['dropped']);
});

it('sampleAt must be omitted unless a limit is adaptive', () => {
  const error = { code: 'ERR_HEADGATE_OPTION', option: 'sampleAt' };
  expect(() => concurrencyLimit({ limit: 1, sampleAt: 'end' })).toThrow(
    expect.objectContaining(error),
  );
});
