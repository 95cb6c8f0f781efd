import * as operations from '@gleaner/contracts';
import { cancelJob, createJob, getJob, listJobs } from '@gleaner/core';
import { endpoint, inTurn } from '../endpoint.ts';

export const jobEndpoints = [
  endpoint(operations.createJob, createJob),
  endpoint(operations.listJobs, inTurn(listJobs)),
  endpoint(operations.getJob, getJob),
  endpoint(operations.cancelJob, cancelJob),
];
