import { Agent, get } from 'node:http';

export type Outcome = 'answered' | 'rejected' | 'gaveUp' | 'failed';

// Connections are reused, and there are as many as needed: like a load balancer's connections to its server. A client
// that gives up closes its connection. A new connection for each request would measure the kernel's handshakes.
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** Sends one request; gives up after `timeout` ms and closes the connection. Never throws. */
export function visit(port: number, timeout: number, path = '/article'): Promise<Outcome> {
  return new Promise((resolve) => {
    const req = get({ host: '127.0.0.1', port, path, agent });
    const settle = (outcome: Outcome) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    const timer = setTimeout(
      () => {
        settle('gaveUp');
        req.destroy();
      },
      Math.max(0, timeout),
    );
    req.on('error', () => settle('failed'));
    req.on('response', (res) => {
      res.on('error', () => settle('failed'));
      res.on('end', () => settle(outcomeOf(res.statusCode)));
      res.resume();
    });
  });
}

function outcomeOf(status: number | undefined): Outcome {
  if (status === 200) return 'answered';
  return status === 503 ? 'rejected' : 'failed';
}

/** Warms up the JIT of both processes, as in servers and clients that have run for a while. It queries nothing. */
export async function warmUp(port: number): Promise<void> {
  const atOnce = 10;
  for (let round = 0; round < 60; round++) {
    await Promise.all(Array.from({ length: atOnce }, () => visit(port, 5_000, '/health')));
  }
}

export const hangUp = () => agent.destroy();
