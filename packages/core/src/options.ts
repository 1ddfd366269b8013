export {
  checkCount,
  checkDuration,
  checkMethods,
  checkNames,
  checkText,
  checkToken,
} from './checks.ts';
export { invalid, invalidSecret } from './errors.ts';
export { priorities } from './semaphore/priority.ts';
export { nearest } from './suggestion.ts';
