import type { ClientRequest, IncomingMessage } from 'node:http';
import type { StoreError } from '@headgate/store-kit';
import { notDone, unreachable } from './failure.ts';

/** Receives a response that does not end by itself. */
export interface StreamReceiver {
  text(chunk: string): void;
  /**
   * Called once, unless the stream was closed here.
   *
   * @param error Why there was no response; undefined if the response has ended.
   */
  ended(error: StoreError | undefined): void;
}

/** A response that does not end by itself. */
export interface Stream {
  /** @param isSilent Whether its connection seems to have died. Idle connections may have died too, and are closed. */
  close(isSilent?: boolean): void;
  /** Whether the connection keeps the process alive. At first it does not. */
  keepAlive(isNeeded: boolean): void;
}

/** Opens streams. */
export interface Streams {
  stream(path: string, receiver: StreamReceiver): Stream;
}

/** Sends a request of its own connection, and passes its response on. */
export function openStream(request: ClientRequest, receiver: StreamReceiver): Stream {
  let isOver = false;
  let isOpen = false;
  let isNeeded = false;
  const end = (error?: StoreError) => {
    if (isOver) return;
    isOver = true;
    receiver.ended(error);
  };
  const keep = () => void (isNeeded ? request.socket?.ref() : request.socket?.unref());
  request.on('socket', keep);
  request.on('error', (error) => end(isOpen ? undefined : unreachable(error)));
  request.on('response', (response) => {
    response.setEncoding('utf8');
    // The end of the response follows.
    response.on('error', () => {});
    isOpen = response.statusCode === 200;
    if (isOpen) pass(response);
    else refuse(response);
  });
  const pass = (response: IncomingMessage) => {
    response.on('data', (chunk: string) => {
      if (!isOver) receiver.text(chunk);
    });
    response.on('close', () => end());
  };
  const refuse = (response: IncomingMessage) => {
    const { statusCode: status = 0 } = response;
    response.once('data', (text: string) => {
      end(notDone({ status, text }));
      request.destroy();
    });
    response.on('close', () => end(notDone({ status, text: '' })));
  };
  request.end();
  return {
    close: () => {
      isOver = true;
      request.destroy();
    },
    keepAlive: (needed) => {
      isNeeded = needed;
      keep();
    },
  };
}
