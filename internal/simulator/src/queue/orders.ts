import { fifo, lifo } from '@headgate/core';

/** Queue orders by name. */
export const orders = { fifo: fifo(), lifo: lifo() };
