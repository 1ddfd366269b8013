import { library } from './clients.ts';
import { suiteThrough } from './suite.ts';

await suiteThrough(library('node-redis 6'));
