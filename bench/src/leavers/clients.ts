import { connect } from 'node:net';

/** What clients send. */
export interface Call {
  path: string;
  /** The size of the body in bytes, which is sent with POST. Default: GET, without a body. */
  upload?: number;
}

/** Milliseconds after which a client fails. Longer than any measured wait. */
const TIMEOUT_MS = 60_000;

/** Sends a request; whether the response is a complete 200. Connections are reused. */
export async function ask(port: number, { path, upload }: Call): Promise<boolean> {
  const sent = upload === undefined ? {} : { method: 'POST', body: 'x'.repeat(upload) };
  const options = { ...sent, signal: AbortSignal.timeout(TIMEOUT_MS) };
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, options);
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

/**
 * Sends a request, and closes the connection after this many milliseconds. They count from the moment when the request
 * has been sent, so that a busy machine loses no request. Of an upload, only a part is sent.
 */
export function leave(port: number, { path, upload }: Call, patience: number): void {
  const body = upload === undefined ? '\r\n' : `Content-Length: ${upload}\r\n\r\na part`;
  const client = connect(port, '127.0.0.1', () => {
    client.write(`${upload === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\nHost: a\r\n${body}`);
    setTimeout(() => client.destroy(), patience);
  });
  client.resume();
  client.on('error', () => {});
}
