// Types of the oldest versions that the adapter supports.
declare module 'express4-oldest' {
  export { default } from 'express';
}
declare module 'express5-oldest' {
  export { default } from 'express';
}
