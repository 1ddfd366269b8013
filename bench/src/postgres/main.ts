import { plans } from '../distributed/plan.ts';
import { reserve } from '../distributed/reserve.ts';
import { runParts } from '../run-parts.ts';
import { bloat } from './bloat.ts';
import { contended } from './contended.ts';
import { idle } from './idle.ts';
import { PostgresScene } from './scene.ts';
import { uncontended } from './uncontended.ts';
import { wake } from './wake.ts';

await runParts(plans, {
  uncontended,
  contended,
  reserve: (plan) => PostgresScene.during((scene) => reserve(scene, plan)),
  wake,
  idle,
  bloat,
});
