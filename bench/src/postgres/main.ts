import { names, processes } from '../distributed/growth-tables.ts';
import { plans } from '../distributed/plan.ts';
import { reserve } from '../distributed/reserve.ts';
import { runParts } from '../run-parts.ts';
import { bloat } from './bloat.ts';
import { contended } from './contended.ts';
import { idle } from './idle.ts';
import { PostgresScene } from './scene.ts';
import { uncontended } from './uncontended.ts';
import { wake } from './wake.ts';

/** A process renews its leases on one connection, which must not take longer than the store's `timeout`. */
const maxHeld = 1_000;

await runParts(plans, {
  uncontended,
  contended,
  reserve: (plan) => PostgresScene.during((scene) => reserve(scene, plan)),
  wake,
  idle,
  bloat,
  processes: (plan) => PostgresScene.during((scene) => processes(scene, plan, 'PostgreSQL')),
  names: (plan) => PostgresScene.during((scene) => names(scene, plan, 'PostgreSQL', maxHeld)),
});
