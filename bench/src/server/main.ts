import { runParts } from '../run-parts.ts';
import { contended } from './contended.ts';
import { pairs } from './pairs.ts';
import { plans } from './plan.ts';
import { startUp } from './start-up.ts';
import { waiting } from './waiting.ts';

await runParts(plans, { pairs, waiting, contended, 'start-up': startUp });
