import { climbRequest, createEnder, createStarter, type Tracer } from '@gleaner/core';
import type { Database } from '@gleaner/db';
import type { ExtractionPool } from '@gleaner/threads';
import { interactiveQueue, type RequestMember } from '@gleaner/queue';
import { interactivePages } from './browser-pages.ts';
import { createLargeWrites } from './load/large-writes.ts';
import { createOutcomeBudget } from './load/outcome-budget.ts';
import { handleRequest, type RequestHandlerDeps, createRequestLeases } from './requests/handle-request.ts';
import { takeRequests } from './requests/take-requests.ts';
import { createTaskExecutor } from './tasks/execute-task.ts';
import type { WorkerParts } from './worker-parts.ts';

/** The interactive requests that this process runs. */
export interface InteractiveWork {
  /** Takes no new ones until `resume`; other workers take them. */
  pause(): Promise<void>;
  resume(): void;
  /** Takes no new ones, and waits for those that run. */
  close(): Promise<void>;
}

interface InteractiveParts extends WorkerParts {
  db: Database;
  /** Connections of `db`. */
  connections: number;
  pool: ExtractionPool;
  tracer: Tracer;
}

/** Takes and runs the requests of this worker's interactive queues. */
export function startInteractiveWork(parts: InteractiveParts): InteractiveWork {
  const { config, log, db, queue, metrics, cancellations, interactiveLoad, capacity } = parts;
  const outcomes = createOutcomeBudget();
  const leases = createRequestLeases({ db, log });
  const deps: RequestHandlerDeps = {
    log,
    tracer: parts.tracer,
    starter: createStarter({ db }, parts.workerId),
    // Ends of requests whose accounts are locked leave a connection to the others.
    ender: createEnder({ db, queue, log }, { maxLanes: Math.max(1, parts.connections - 1) }),
    climb: (key, to) => climbRequest({ db, queue, log }, key, to),
    secretKey: config.secretKey,
    executor: createTaskExecutor({ ...parts.tasks, pool: parts.pool, outcomes }),
    leases,
    cancellations,
    metrics,
    outcomes,
    largeWrites: createLargeWrites(),
  };
  const run = async ({ id, attempt }: RequestMember): Promise<void> => {
    const endLoad = interactiveLoad.begin();
    try {
      await handleRequest(deps, { id, attempt });
    } finally {
      endLoad();
    }
  };
  const takers = config.workerQueues.map((engine) => {
    const most = engine === 'http' ? capacity.http : interactivePages(capacity.browser);
    return takeRequests({ db, queue, log, run }, interactiveQueue(engine), most);
  });
  return {
    pause: async () => {
      await Promise.all(takers.map((taker) => taker.pause()));
    },
    resume: () => {
      for (const taker of takers) taker.resume();
    },
    close: async () => {
      await Promise.all(takers.map((taker) => taker.close()));
      leases.close();
    },
  };
}
