import { checkAll } from './check-all.cjs';

await checkAll((name) => import(name));
