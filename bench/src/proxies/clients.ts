import { setMaxListeners } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { arrivals } from 'headgate/load';

interface Answer {
  /** Undefined if the connection failed, or the client left. */
  readonly status: number | undefined;
  /** Milliseconds. */
  readonly duration: number;
}

function ask(port: number, { agent, signal }: { agent?: Agent; signal?: AbortSignal } = {}) {
  const start = performance.now();
  return new Promise<Answer>((resolve) => {
    const end = (status?: number) => resolve({ status, duration: performance.now() - start });
    get({ host: '127.0.0.1', port, agent: agent ?? false, signal }, (res) => {
      res.resume().once('close', () => end(res.statusCode));
    }).once('error', () => end());
  });
}

export interface Burst {
  readonly answered: number;
  readonly rejected: number;
  /** Milliseconds until the last one was answered. */
  readonly slowest: number;
}

/** Milliseconds after which the clients of some requests leave. */
const LEAVES_AFTER = 80;

/** Sends requests at once; the clients of the last `leaving` ones leave before the first answer. */
export async function burst(port: number, count: number, leaving = 0): Promise<Burst> {
  const left = new AbortController();
  setMaxListeners(count, left.signal);
  setTimeout(() => left.abort(), LEAVES_AFTER);
  const { signal } = left;
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      ask(port, index < count - leaving ? {} : { signal }),
    ),
  );
  const answered = answers.filter(({ status }) => status === 200);
  return {
    answered: answered.length,
    rejected: answers.filter(({ status }) => status === 503).length,
    slowest: Math.max(...answered.map(({ duration }) => duration)),
  };
}

/** The fraction of requests that is answered. They arrive independently of each other. */
export async function answeredOf(port: number, rate: number, seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const start = performance.now();
  const phase = { name: 'load', duration: 1_000 * seconds, rate };
  const answers: Promise<Answer>[] = [];
  for (const { at } of arrivals([phase], 1)) {
    await delay(Math.max(0, start + at - performance.now()));
    answers.push(ask(port, { agent }));
  }
  const all = await Promise.all(answers);
  agent.destroy();
  return all.filter(({ status }) => status === 200).length / all.length;
}
