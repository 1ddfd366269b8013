import { aimd, type LimitFactory } from '@headgate/core';
import { arriveEvenly } from '../arrivals.ts';
import { DialogueServer, dialogueClient } from '../models/dialogue.ts';
import { figure, type Scenario } from '../scenario.ts';
import { mean, withEachSeed } from '../seeds.ts';
import { Simulation } from '../simulation.ts';

const requests = 10_000;
const perSecond = 500;
const clients = 10;

/** Milliseconds of the three servers when nobody else is there. */
const best = [600, 800, 1000];
/** At so many at once a server takes twice as long, beyond them five times. */
const knee = 30;
/** Beyond so many it fails. */
const threshold = 40;
/** How many requests a failure weighs against a server. */
const failure = 10;

/** What part succeeds in the end, in per cent, and how often the servers answer. */
function outcomeOf(limit: number | LimitFactory, seed: number) {
  const simulation = new Simulation(seed);
  const servers = best.map((time) => {
    const slower = (busy: number) => time * (busy > knee ? 5 : 1 + busy / knee);
    return new DialogueServer(simulation, threshold, slower);
  });
  const crowd = Array.from({ length: clients }, () =>
    dialogueClient(simulation, servers, limit, failure),
  );
  let successes = 0;
  arriveEvenly(simulation, perSecond, requests, () =>
    crowd[Math.floor(simulation.random() * clients)]?.call((succeeded) => {
      if (succeeded) successes++;
    }),
  );
  simulation.run(600_000);
  const answers = servers.reduce((sum, { answered }) => sum + answered, 0);
  return { success: (100 * successes) / requests, answers };
}

function means(limit: number | LimitFactory) {
  const all = withEachSeed((seed) => outcomeOf(limit, seed));
  return {
    success: mean(all.map(({ success }) => success)),
    answers: mean(all.map(({ answers }) => answers)),
  };
}

const success = 'per cent that succeed';
const answers = 'answers of the servers';

export const scenario: Scenario = {
  id: 'slowdown-and-errors',
  name: 'Three servers that slow down beyond 30 at once and fail beyond 40, ten clients that retry: 10,000 calls',
  source: "Palantir's Dialogue, slowdown_and_error_thresholds",
  run() {
    const free = means(Number.MAX_SAFE_INTEGER);
    const adapting = means(aimd({ initial: 20, max: 1_000_000 }));
    const fixed = means(knee / clients);
    return {
      figures: [
        {
          what: 'unlimited',
          column: success,
          published: '3.6',
          measured: free.success,
          expected: [3, 4.2],
        },
        {
          what: 'unlimited',
          column: answers,
          published: '49335',
          measured: free.answers,
          expected: [48_500, 50_000],
        },
        {
          what: 'aimd() in each client',
          column: success,
          published: '100',
          measured: adapting.success,
          expected: [99.5, 100],
        },
        {
          what: 'aimd() in each client',
          column: answers,
          published: '12003',
          measured: adapting.answers,
          // Theirs lowers the limit at each drop, ours once for all drops of one overload.
          expected: [12_000, 19_000],
        },
        figure('at most 3 of each client at each server', fixed.success, [100, 100], success),
        figure('at most 3 of each client at each server', fixed.answers, [10_000, 10_000], answers),
      ],
    };
  },
};
