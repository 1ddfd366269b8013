// Types of the oldest version that the adapter supports.
declare module 'fastify4-oldest' {
  export { default } from 'fastify';
}
declare module 'fastify5-oldest' {
  export { default } from 'fastify';
}
