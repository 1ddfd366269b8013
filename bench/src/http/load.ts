import autocannon from 'autocannon';

/** What a burst of load got back. */
export interface Burst {
  requests: number;
  /** Answers other than 2xx. */
  refused: number;
}

export const burstTime = 0.5;

/** Keeps every connection busy for half a second; with `anew`, each request has a new one. */
export async function load(port: number, connections: number, anew = false): Promise<Burst> {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}/`,
    connections,
    duration: burstTime,
    // It ends only when it samples: each second, if it is not told otherwise.
    sampleInt: 25,
    ...(anew && { headers: { connection: 'close' } }),
  });
  return { requests: result['2xx'] + result.non2xx, refused: result.non2xx };
}
