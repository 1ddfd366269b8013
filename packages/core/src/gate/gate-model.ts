import type { Clock } from '../clock.ts';
import { isControlled } from '../limits/limit.ts';
import { type Model, type SimulatedLimit, settingsOnClock } from '../shadow/simulation.ts';
import type { Enforcer } from '../shadow/variant.ts';
import { type Demand, type Demands, weightNow } from './demands.ts';
import type { GateSettings, InternalGate } from './gate.ts';
import type { OwnSpec } from './limit-spec.ts';

type Make = (specs: readonly OwnSpec[], settings: GateSettings) => InternalGate;

/** The simulation model of a gate that has limits in shadow mode: all these limits together, and each of them alone. */
export function gateModel(
  specs: readonly OwnSpec[],
  settings: GateSettings,
  make: Make,
): Model<Demands> {
  const gateOf = (limits: readonly OwnSpec[], clock: Clock, hasOwnLimits = true) => {
    const apart = settingsOnClock(settings.queueLimit, clock);
    return enforcerOf(make(limits, { ...settings, ...apart }), hasOwnLimits);
  };
  const limits = specs.map((spec): SimulatedLimit<Demands> => {
    const { name, perKey, limit, isLimitPerRequest } = spec.limiter;
    return {
      ...{ name, perKey },
      limit: typeof limit === 'number' && !isLimitPerRequest ? limit : undefined,
      weightOf: (demands) => demands.find(({ limiter }) => limiter.name === name)?.weight ?? 0,
      alone: (clock, other) =>
        other === undefined
          ? gateOf([spec], clock)
          : gateOf([{ ...spec, limiter: { ...spec.limiter, limit: other } }], clock, false),
    };
  });
  const isPresent = specs.some(({ limiter }) => isControlled(limiter.limit));
  return { together: (clock) => gateOf(specs, clock), limits, isPresent };
}

/** @param hasOwnLimits Whether requests may set the limit of their key. */
function enforcerOf(gate: InternalGate, hasOwnLimits: boolean): Enforcer<Demands> {
  const [first] = gate.limits;
  return {
    request: (waiter, demands) => {
      const own = gate.limits.flatMap(({ limiter }): Demand[] => {
        const demand = demands.find((each) => each.limiter.name === limiter.name);
        if (demand === undefined) return [];
        const here = { ...demand, limiter, limit: hasOwnLimits ? demand.limit : undefined };
        return [{ ...here, weight: weightNow(here) }];
      });
      gate.request(waiter, own);
    },
    get inflightPeak() {
      return first?.limiter.stats().inflightPeak ?? 0;
    },
  };
}
