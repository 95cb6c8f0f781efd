import type { Metrics, OperationServices, Tracer } from '@gleaner/core';

/** What main.ts builds for the API process. */
export interface ApiServices extends OperationServices {
  metrics: Metrics;
  tracer: Tracer;
}
