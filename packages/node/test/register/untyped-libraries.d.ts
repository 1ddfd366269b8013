declare module 'lil-http-terminator';
declare module 'stoppable';
