// Types of the oldest version that the adapter supports.
declare module 'koa2-oldest' {
  export { default } from 'koa';
}
declare module 'koa3-oldest' {
  export { default } from 'koa';
}
