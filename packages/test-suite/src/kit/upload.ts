import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Number of bytes that `pump` sends. The server is expected to read only few of them. */
export const UPLOAD_BYTES = 200 * 1024 * 1024;

/** Sends an upload as fast as the server reads it, and reports the number of bytes sent. */
export function pump(socket: Socket, chunked = false): { bytes: number } {
  const data = 'x'.repeat(0x10000);
  const chunk = chunked ? `10000\r\n${data}\r\n` : data;
  const sent = { bytes: 0 };
  const send = () => {
    while (sent.bytes < UPLOAD_BYTES && socket.writable) {
      sent.bytes += data.length;
      if (!socket.write(chunk)) return;
    }
  };
  socket.on('drain', send);
  send();
  return sent;
}

/**
 * The number of bytes that the server has read from a connection. Bun does not count them; there, the number of bytes
 * that the client has sent.
 */
export function bytesRead(client: Socket, server: Duplex | undefined): number {
  if (process.versions.bun !== undefined) return client.bytesWritten - client.writableLength;
  return (server as Socket | undefined)?.bytesRead ?? 0;
}
