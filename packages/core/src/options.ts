export {
  checkCount,
  checkDuration,
  checkMethods,
  checkNames,
  checkSpan,
  checkText,
  checkToken,
} from './checks.ts';
export { invalid, invalidSecret } from './errors.ts';
export { nearest } from './suggestion.ts';
