import type { Job } from './jobs.ts';

export interface Request {
  id: number;
  job: Job;
}

/** Errors cross threads as plain data: their own class and code would be lost. */
export interface Reply {
  id: number;
  result?: unknown;
  error?: { name: string; message: string; stack: string | undefined };
}
