import { bodies } from './bodies.ts';
import { callbacks } from './callbacks.ts';
import { frameworks } from './frameworks.ts';
import type { Kinds } from './kind.ts';
import { stops } from './stops.ts';
import { streams } from './streams.ts';

/** All kinds of handlers, by what they do. */
export const kinds: Kinds = { ...stops, ...streams, ...callbacks, ...bodies, ...frameworks };
