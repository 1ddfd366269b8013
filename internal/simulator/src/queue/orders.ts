import { codel, fifo, lifo } from '@headgate/core';

/** Queue orders by name. */
export const orders = { fifo: fifo(), codel: codel(), lifo: lifo() };
