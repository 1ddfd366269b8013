import { sourcePages } from '../site/source-files.ts';

/** The files of the repository that readers copy. */
export default {
  paths: () => [...sourcePages()].map(([file, content]) => ({ params: { file }, content })),
};
