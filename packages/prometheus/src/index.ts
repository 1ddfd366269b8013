export { type InstrumentOptions, instrument } from './instrument.ts';
