import * as operations from '@gleaner/contracts';
import { createJob } from '../../runs/jobs/create-job.ts';
import { cancelJob, getJob, listJobs } from '../../runs/jobs/read-jobs.ts';
import { pair } from '../pair.ts';

export const jobEntries = [
  pair(operations.createJob, createJob),
  pair(operations.listJobs, listJobs),
  pair(operations.getJob, getJob),
  pair(operations.cancelJob, cancelJob),
];
