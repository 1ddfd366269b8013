import { names, processes } from '../distributed/growth-tables.ts';
import { plans } from '../distributed/plan.ts';
import { reserve } from '../distributed/reserve.ts';
import { runParts } from '../run-parts.ts';
import { contended } from './contended.ts';
import { idle } from './idle.ts';
import { memory } from './memory.ts';
import { RedisScene } from './scene.ts';
import { servers } from './servers.ts';
import { uncontended } from './uncontended.ts';
import { wake } from './wake.ts';

await runParts(plans, {
  uncontended,
  contended,
  reserve: (plan) => RedisScene.during((scene) => reserve(scene, plan)),
  wake,
  memory,
  idle,
  processes: (plan) => RedisScene.during((scene) => processes(scene, plan, 'Redis')),
  names: (plan) => RedisScene.during((scene) => names(scene, plan, 'Redis')),
  servers,
});
