// The types of the versions that the adapter is built with.
declare module 'express4-oldest' {
  export { default } from 'express';
}
declare module 'express5-oldest' {
  export { default } from 'express';
}
