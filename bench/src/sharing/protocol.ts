export interface Request {
  id: number;
  task: string;
  argument: unknown;
}

/** That to 0, which nobody asked, says that the process is ready. */
export interface Response {
  id: number;
  result?: unknown;
  error?: string;
}
