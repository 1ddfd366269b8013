import { aimd, type LimitFactory } from '@headgate/core';
import { arriveEvenly } from '../arrivals.ts';
import { DialogueServer, dialogueClient } from '../models/dialogue.ts';
import type { Scenario } from '../scenario.ts';
import { withEachSeed } from '../seeds.ts';
import { Simulation } from '../simulation.ts';
import { mean } from '../watch.ts';

const requests = 1000;
const perSecond = 30_000;
const servers = 2;
const capacity = 100;
const serviceTime = 150;
/** The weight of a failure in requests: low, because a rejection does not mean that the server is broken. */
const failure = 0.1;

/** The number of answers that the servers must send if clients retry rejected requests. */
function answers(limit: number | LimitFactory): number {
  const all = withEachSeed((seed) => {
    const simulation = new Simulation(seed);
    const nodes = Array.from(
      { length: servers },
      () => new DialogueServer(simulation, capacity, () => serviceTime),
    );
    const client = dialogueClient(simulation, nodes, limit, failure);
    arriveEvenly(simulation, perSecond, requests, () => client.call());
    simulation.runUntil(600_000);
    return nodes.reduce((sum, { answered }) => sum + answered, 0);
  });
  return mean(all);
}

export const scenario: Scenario = {
  id: 'one-big-spike',
  name: 'A spike of 1,000 requests on two servers that reject more than 100 at once: the number of answers they must give',
  source: "Palantir's Dialogue, one_big_spike",
  run: () => ({
    figures: [
      {
        what: 'unlimited',
        published: '3388',
        measured: answers(Number.MAX_SAFE_INTEGER),
        expected: [3200, 3600],
      },
      {
        what: 'aimd() in the client, with a queue',
        published: '1000',
        measured: answers(aimd({ initial: 20, max: 1_000_000 })),
        expected: [1000, 1000],
      },
    ],
  }),
};
