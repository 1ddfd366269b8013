import type { Hono } from 'hono';
import { Refusal } from '../state/refusal.ts';
import type { StateDriver } from '../state-driver.ts';
import { jsonNumber, jsonText, refused } from './answers.ts';
import { expiryFrom, fieldsOf, idFrom, locksFrom, peerIdOf } from './input.ts';

/** Routes that create, renew, list, restore and delete peers. */
export function peerRoutes(app: Hono, { state }: StateDriver): void {
  app.post('/new_peer', async (c) => {
    const expiresIn = expiryFrom(await fieldsOf(c));
    const id = state.newPeer(expiresIn);
    return id instanceof Refusal ? refused(c, id) : jsonNumber(c, id);
  });

  app.put('/peers/:id', async (c) => {
    const id = peerIdOf(c);
    const refusal = state.heartbeat(id, expiryFrom(await fieldsOf(c)));
    return refusal === undefined ? c.text('Ok') : refused(c, refusal);
  });

  app.delete('/peers/:id', (c) => {
    const isReleased = state.deletePeer(peerIdOf(c));
    return jsonText(c, isReleased ? '"Peer released"' : '"Peer not found"');
  });

  app.get('/peers/', (c) => {
    const peers = Array.from(state.peers(), (id) => `{"id":${id}}`);
    return jsonText(c, `[${peers.join(',')}]`);
  });

  app.post('/restore', async (c) => {
    const fields = await fieldsOf(c);
    const expiresIn = expiryFrom(fields);
    const refusal = state.restore(idFrom(fields), locksFrom(fields), expiresIn);
    return refusal === undefined ? c.text('Ok') : refused(c, refusal);
  });
}
