import { aimd, type LimitFactory } from '@headgate/core';
import { arriveEvenly } from '../arrivals.ts';
import { DialogueServer, dialogueClient } from '../models/dialogue.ts';
import { figure, type Scenario } from '../scenario.ts';
import { withEachSeed } from '../seeds.ts';
import { Simulation } from '../simulation.ts';
import { mean } from '../watch.ts';

const requests = 10_000;
const perSecond = 500;
const clients = 10;

/** Service times of the three idle servers in milliseconds. */
const idleTimes = [600, 800, 1000];
/** With this many requests in flight, a server takes twice as long; with more, five times as long. */
const knee = 30;
/** With more requests in flight a server fails. */
const threshold = 40;
/** The weight of a failure in requests. */
const failure = 10;

/** The percentage of calls that succeed, and the number of answers given by the servers. */
function outcomeOf(limit: number | LimitFactory, seed: number) {
  const simulation = new Simulation(seed);
  const servers = idleTimes.map((time) => {
    const slower = (busy: number) => time * (busy > knee ? 5 : 1 + busy / knee);
    return new DialogueServer(simulation, threshold, slower);
  });
  const senders = Array.from({ length: clients }, () =>
    dialogueClient(simulation, servers, limit, failure),
  );
  let successes = 0;
  arriveEvenly(simulation, perSecond, requests, () =>
    senders[Math.floor(simulation.random() * clients)]?.call((succeeded) => {
      if (succeeded) successes++;
    }),
  );
  simulation.runUntil(600_000);
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

const success = 'percentage that succeeds';
const answers = 'answers by the servers';

export const scenario: Scenario = {
  id: 'slowdown-and-errors',
  name: 'Three servers that slow down beyond 30 at once and fail beyond 40, ten clients that retry: 10,000 calls',
  source: "Palantir's Dialogue, slowdown_and_error_thresholds",
  run() {
    const unlimited = means(Number.MAX_SAFE_INTEGER);
    const adapting = means(aimd({ initial: 20, max: 1_000_000 }));
    const fixed = means(knee / clients);
    return {
      figures: [
        {
          what: 'unlimited',
          column: success,
          published: '3.6',
          measured: unlimited.success,
          expected: [3, 4.2],
        },
        {
          what: 'unlimited',
          column: answers,
          published: '49335',
          measured: unlimited.answers,
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
          // Dialogue lowers the limit at each drop; `aimd()` lowers it once for all drops of one overload.
          expected: [12_000, 19_000],
        },
        figure('limit 3 per client and server', fixed.success, [100, 100], success),
        figure('limit 3 per client and server', fixed.answers, [10_000, 10_000], answers),
      ],
    };
  },
};
