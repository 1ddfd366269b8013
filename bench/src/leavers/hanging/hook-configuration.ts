import { options } from './limit.ts';

// `HEADGATE` names this file.
export default options;
