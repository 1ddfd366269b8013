export { check } from './distributed.ts';
