import type { Client } from './client.ts';

interface Wanted {
  readonly name: string;
  readonly key?: string;
  readonly limit: number;
  readonly weight?: number;
}

/** Acquires a lease of each of these limits, or queues it. */
export async function acquire(client: Client, wanted: readonly Wanted[]): Promise<void> {
  const ops = wanted.map(({ weight = 1, ...ref }, index) => ({
    verb: 'acquire',
    lease: {
      ref: { ...ref, version: '' },
      id: `me.${index}`,
      ...{ weight, resized: false, wait: 60_000, queueLimit: 9, extraTokens: 0, reserves: false },
    },
  }));
  const body = JSON.stringify({ owner: 'me', leaseDuration: 10_000, ops });
  const { status, text } = await client.ask('POST', '/limits', body);
  if (status !== 200) throw new Error(text);
}
