declare module 'express-queue' {
  import type { RequestHandler } from 'express';
  export default function expressQueue(options: {
    activeLimit: number;
    queuedLimit: number;
  }): RequestHandler;
}

declare module 'overload-protection' {
  // biome-ignore lint/suspicious/noExplicitAny: the framework's own kind of middleware
  type Middleware = any;
  export default function protect(
    framework: string,
    options: {
      production: boolean;
      maxEventLoopDelay?: number;
      sampleInterval?: number;
      clientRetrySecs?: number;
    },
  ): Middleware;
}

declare module 'toobusy-js' {
  const isTooBusy: {
    (): boolean;
    interval(milliseconds: number): void;
    maxLag(milliseconds: number): void;
    shutdown(): void;
  };
  export default isTooBusy;
}
