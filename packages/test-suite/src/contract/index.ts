import type { World } from '../kit/world.ts';
import { adaptiveLimits } from './adaptive-limits.ts';
import { admission } from './admission.ts';
import { clientDeadlines } from './client-deadlines.ts';
import { closing } from './closing.ts';
import { connections } from './connections.ts';
import { defaultLimit } from './default-limit.ts';
import { degraded } from './degraded.ts';
import { distributed } from './distributed.ts';
import { fairness } from './fairness.ts';
import { givingUp } from './giving-up.ts';
import { guards } from './guards.ts';
import { hangingHandlers } from './hanging-handlers.ts';
import { headerFields } from './header-fields.ts';
import { overHttp2 } from './http2.ts';
import { latencyBaselines } from './latency-baselines.ts';
import { leavingTheHandler } from './leaving-the-handler.ts';
import { leavingTheQueue } from './leaving-the-queue.ts';
import { limits } from './limits.ts';
import { methods } from './methods.ts';
import { mistakes } from './mistakes.ts';
import { observers } from './observers.ts';
import { ownCalls } from './own-calls.ts';
import { priorities } from './priorities.ts';
import { queueTimeouts } from './queue-timeouts.ts';
import { rejectedUploads } from './rejected-uploads.ts';
import { rejectedWork } from './rejected-work.ts';
import { rejection } from './rejection.ts';
import { rejectionFormats } from './rejection-formats.ts';
import { releases } from './releases.ts';
import { routes } from './routes.ts';
import { stacked } from './stacked.ts';
import { streams } from './streams.ts';
import { uploads } from './uploads.ts';
import { warnedMistakes } from './warned-mistakes.ts';

/** The contract of an adapter, by topic. */
export const contract: Readonly<Record<string, (world: World) => void>> = {
  admission,
  'calls of the app to itself': ownCalls,
  rejection,
  'formats of a rejection': rejectionFormats,
  releases,
  'client disconnects in the queue': leavingTheQueue,
  'client disconnects during the handler': leavingTheHandler,
  'clients that give up': givingUp,
  'deadlines of clients': clientDeadlines,
  'handlers that hang': hangingHandlers,
  streams,
  connections,
  methods,
  uploads,
  'rejected uploads': rejectedUploads,
  'several limits': limits,
  routes,
  'the default limit': defaultLimit,
  'adaptive limits': adaptiveLimits,
  'latency baselines': latencyBaselines,
  priorities,
  'fair queueing and shares': fairness,
  'distributed limits': distributed,
  guards,
  'degraded and shadow mode': degraded,
  'stacked middleware': stacked,
  // After stacked middleware: within a Worker, all tests share a process, which warns once of nested waits.
  'queue timeouts of requests': queueTimeouts,
  'limiters used inside a handler': rejectedWork,
  'header fields': headerFields,
  observers,
  closing,
  mistakes,
  'mistakes that it warns of': warnedMistakes,
  'HTTP/2': overHttp2,
};

export const topics: readonly string[] = Object.keys(contract);
