import type { Entry } from './formats.ts';

/** Requests of a client that can be counted as simultaneous. Bounds the time that one line takes. */
const MAX_AT_ONCE = 64;
/** Clients that are observed at the same time. Bounds the memory. */
const MAX_CLIENTS = 10_000;
/** The suggested limit affects fewer clients than this share. */
const MAX_AFFECTED = 0.01;

class Client {
  /** `atOnce`: the client's requests in flight when this one began, itself included. */
  readonly #latest: { start: number; end: number; atOnce: number }[] = [];
  peak = 0;
  took = 0;

  /** Logs are in the order of ends, so a request is also counted for those that began while it ran. */
  add({ end, took }: Entry): void {
    const request = { start: end - took, end, atOnce: 1 };
    for (const earlier of this.#latest) {
      if (request.start < earlier.start) earlier.atOnce++;
      else if (request.start < earlier.end) request.atOnce++;
      this.peak = Math.max(this.peak, earlier.atOnce);
    }
    this.peak = Math.max(this.peak, request.atOnce);
    this.took += took;
    this.#latest.push(request);
    if (this.#latest.length >= MAX_AT_ONCE) this.#latest.shift();
  }
}

export interface ClientsResult {
  readonly clients: number;
  /** 99 % of the clients never had more requests in flight. */
  readonly limit: number;
  /** The part of all work that the other clients made, from 0 to 1. */
  readonly affectedWork: number;
}

/** How many requests each client has in flight. */
export class Clients {
  readonly #observed = new Map<string, Client>();
  /** The number of clients that are no longer observed, and their work, by their peak. */
  readonly #byPeak = new Map<number, { clients: number; took: number }>();

  add(entry: Entry): void {
    const client = this.#observed.get(entry.address) ?? new Client();
    this.#observed.delete(entry.address);
    this.#observed.set(entry.address, client);
    client.add(entry);
    if (this.#observed.size <= MAX_CLIENTS) return;
    const [[address, oldest] = ['', client]] = this.#observed;
    this.#observed.delete(address);
    this.#count(oldest);
  }

  /** The number of clients in memory. */
  get observed(): number {
    return this.#observed.size;
  }

  end(): ClientsResult {
    for (const client of this.#observed.values()) this.#count(client);
    this.#observed.clear();
    const descending = [...this.#byPeak].sort(([one], [other]) => other - one);
    const sumOf = (part: 'clients' | 'took') =>
      descending.reduce((sum, [, counts]) => sum + counts[part], 0);
    const clients = sumOf('clients');
    let [affected, work] = [0, 0];
    for (const [peak, counts] of descending) {
      if (affected + counts.clients > MAX_AFFECTED * clients)
        return { clients, limit: peak, affectedWork: work / sumOf('took') || 0 };
      affected += counts.clients;
      work += counts.took;
    }
    return { clients: 0, limit: 1, affectedWork: 0 };
  }

  #count({ peak, took }: Client): void {
    const counts = this.#byPeak.get(peak) ?? { clients: 0, took: 0 };
    this.#byPeak.set(peak, { clients: counts.clients + 1, took: counts.took + took });
  }
}
