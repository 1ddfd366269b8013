// The types of the version that the adapter is built with.
declare module 'koa2-oldest' {
  export { default } from 'koa';
}
declare module 'koa3-oldest' {
  export { default } from 'koa';
}
