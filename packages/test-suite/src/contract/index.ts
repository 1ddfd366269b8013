import type { World } from '../kit/world.ts';
import { adapting } from './adapting.ts';
import { admission } from './admission.ts';
import { closing } from './closing.ts';
import { connections } from './connections.ts';
import { degraded } from './degraded.ts';
import { fairness } from './fairness.ts';
import { headerFields } from './fields.ts';
import { guarding } from './guarding.ts';
import { overHttp2 } from './http2.ts';
import { leavingTheHandler } from './leaving-the-handler.ts';
import { leavingTheLine } from './leaving-the-line.ts';
import { limits } from './limits.ts';
import { methods } from './methods.ts';
import { mistakes } from './mistakes.ts';
import { priorities } from './priorities.ts';
import { refusedUploads } from './refused-uploads.ts';
import { rejectedWork } from './rejected-work.ts';
import { rejection } from './rejection.ts';
import { releases } from './releases.ts';
import { routes } from './routes.ts';
import { shared } from './shared.ts';
import { stacked } from './stacked.ts';
import { streams } from './streams.ts';
import { uploads } from './uploads.ts';

/** What an adapter promises, by topic. */
export const contract: Readonly<Record<string, (world: World) => void>> = {
  admission,
  rejection,
  releases,
  'clients that leave the line': leavingTheLine,
  'clients that leave their handler': leavingTheHandler,
  streams,
  connections,
  methods,
  uploads,
  'uploads that are refused': refusedUploads,
  'several limits': limits,
  routes,
  'limits that adapt': adapting,
  priorities,
  'fairness, and parts of a limit': fairness,
  'limits that processes share': shared,
  guards: guarding,
  'degraded and shadow mode': degraded,
  'stacked middleware': stacked,
  'rejected work of a handler': rejectedWork,
  'header fields': headerFields,
  closing,
  mistakes,
  'HTTP/2': overHttp2,
};
