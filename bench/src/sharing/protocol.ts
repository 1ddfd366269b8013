export interface Request {
  id: number;
  task: string;
  argument: unknown;
}

/** Message 0, which answers no request, means that the process is ready. */
export interface Response {
  id: number;
  result?: unknown;
  error?: string;
}
