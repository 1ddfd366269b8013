import type { RequestListener } from 'node:http';
import { admissionOf, type ConcurrencyLimit } from '@headgate/node';
import {
  adapterSuite,
  type FrameworkDriver,
  type Step,
  type SuiteContext,
} from '@headgate/test-suite';
import { type SuiteLimit, topics } from '@headgate/test-suite/kit';
import { nodeLimit, responses } from './node-limit.ts';

type Steps = readonly Step[];

interface InFrontOptions {
  /** Makes a middleware of the framework from a limit of `@headgate/node` that the suite puts within the app. */
  readonly inside: (limit: ConcurrencyLimit) => unknown;
  /** Whether the limit in front learns routes, and when handlers settle, only from a limit of the framework itself. */
  readonly needsInnerLimit?: boolean;
  /** Default: all of the contract, except for routes. */
  readonly topics?: readonly string[];
}

/** The topics that depend most on what the framework does with a request. */
export const inFrontTopics: readonly string[] = [
  'admission',
  'rejection',
  'releases',
  'client disconnects in the queue',
  'client disconnects during the handler',
  'streams',
  'rejected uploads',
  'latency baselines',
  'stacked middleware',
  'closing',
];

/** The limit in front matches routes as for `node:http`, whatever the framework's router does. */
const withoutRoutes = topics.filter((topic) => topic !== 'routes');

/** Runs the contract of adapters with the limit of `@headgate/node` in front of an app of this framework. */
export function inFrontSuite<Inside extends SuiteLimit>(
  framework: FrameworkDriver<Inside>,
  options: InFrontOptions,
): void {
  adapterSuite(inFrontOf(framework, options), options.topics ?? withoutRoutes);
}

function inFrontOf<Inside extends SuiteLimit>(
  framework: FrameworkDriver<Inside>,
  { inside, needsInnerLimit = false }: InFrontOptions,
): FrameworkDriver<ConcurrencyLimit> {
  /** An inner limit that sees the routes and limits nothing. */
  const own: Step<Inside>[] = [];
  if (needsInnerLimit) own.push({ use: framework.limit({ limit: 1, skip: () => true }) });
  const within = (steps: Steps): Step<Inside>[] =>
    steps.flatMap((step) => {
      if ('use' in step) return [{ use: inside(step.use as ConcurrencyLimit) as Inside }, ...own];
      if ('mount' in step) return [{ ...step, steps: within(step.steps) }];
      return [{ ...step, handle: (context) => step.handle(withAdmission(context)) }];
    });
  return {
    name: `@headgate/node in front of ${framework.name}`,
    can: { tracksHandlers: needsInnerLimit, http2: false },

    limit: nodeLimit,

    listener({ steps, onError }) {
      const first = steps.findIndex((step) => !('use' in step));
      const app = framework.listener({ steps: [...own, ...within(steps.slice(first))], onError });
      const limits = steps.slice(0, first) as readonly { use: ConcurrencyLimit }[];
      const listener = limits.reduceRight<RequestListener>((next, { use }) => use(next), app);
      return async (req, res) => {
        responses.set(req, res);
        try {
          await listener(req, res);
        } catch (error) {
          onError(error);
          if (!res.headersSent) res.writeHead(500).end();
        }
      };
    },
  };
}

/** The same context, with the admission of the limit in front. */
function withAdmission(context: SuiteContext): SuiteContext {
  const { outgoing } = context;
  return Object.create(context, { admission: { get: () => admissionOf(outgoing) } });
}
