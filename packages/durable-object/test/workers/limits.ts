export { LimitObject } from '@headgate/durable-object';

export default {
  fetch: () => new Response(),
};
