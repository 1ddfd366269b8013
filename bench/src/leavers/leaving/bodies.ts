import { fileURLToPath } from 'node:url';
import express from 'express';
import { respond } from '../handler.ts';
import { HANDLER_MS, inExpress, inNode, type Kind, type Kinds } from './kind.ts';

/** Served as a file: the first part of the path of all requests. */
const folder = fileURLToPath(new URL('.', import.meta.url));

/** Files are sent within milliseconds, at a rate that leaves the machine room for the other cells. */
const file = (kind: Kind): Kind => ({ ...kind, duration: 4, rate: 250 });

const upload = (kind: Kind): Kind => ({ ...kind, upload: 20_000 });

/** Files, and handlers that read a body. */
export const bodies: Kinds = {
  '`express.static`': file(inExpress(express.static(folder))),
  'Express, `res.sendFile()`': file(
    inExpress((req, res) => res.sendFile(req.path, { root: folder })),
  ),
  '`node:http`, upload read by `data`': upload(
    inNode((req, res) => {
      req.on('data', () => {});
      req.on('end', () => setTimeout(() => respond(req, res), HANDLER_MS));
    }),
  ),
  'Express, upload read by `express.raw()`': upload(
    inExpress(express.raw({ type: () => true }), (req, res) => {
      setTimeout(() => respond(req, res), HANDLER_MS);
    }),
  ),
};
