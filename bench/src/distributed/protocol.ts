export interface Request {
  id: number;
  task: string;
  argument: unknown;
}

/** A response to the id 0, which is no request, means that the process is ready. */
export interface Response {
  id: number;
  result?: unknown;
  error?: string;
}
