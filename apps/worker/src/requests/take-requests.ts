import { noteCanary, type Logger, type Services } from '@gleaner/core';
import {
  groupDelivery,
  groupPayload,
  membersOf,
  type ClaimedJob,
  type QueueBackend,
  type QueueName,
  type RequestMember,
} from '@gleaner/queue';
import { setTimeout as delay } from 'node:timers/promises';
import { createAccountShares } from './account-shares.ts';

/** How long a request of an account above its share waits in this process, and then in the queue. */
const HOLD_MS = 100;
const PUT_BACK_MS = 100;
/** The pause after a claim that failed, for example while the queue is away. */
const RETRY_MS = 1_000;

/** Takes the jobs of an interactive queue while this process has room for requests. */
export interface RequestTaker {
  /** Takes no new jobs. Running requests continue, and other workers take the waiting ones. */
  pause(): Promise<void>;
  resume(): void;
  /** Takes no new jobs and waits for the running requests. */
  close(): Promise<void>;
}

export interface RequestTakerDeps extends Pick<Services, 'db'> {
  queue: Pick<QueueBackend, 'claimer' | 'deliver'>;
  log: Logger;
  run(member: RequestMember): Promise<void>;
}

interface Taking extends RequestTakerDeps {
  name: QueueName;
}

/** A request that this leaves without a job is delivered again by the API process that waits for it. */
async function giveBack(
  { queue, log, name }: Taking,
  members: readonly RequestMember[],
  { size, forMs }: { size: number; forMs: number },
): Promise<void> {
  const deliveries = [];
  for (let from = 0; from < members.length; from += size) {
    deliveries.push(groupDelivery(name, members.slice(from, from + size), forMs));
  }
  await queue.deliver(deliveries).catch((error: unknown) => {
    log.warn({ err: error, queue: name, count: members.length }, 'requests did not go back to the queue');
  });
}

async function runMember(
  { run, log, name }: Taking,
  member: RequestMember,
  leave: () => void,
): Promise<void> {
  try {
    await run(member);
  } catch (error) {
    log.error({ err: error, queue: name, requestId: member.id }, 'a request ended with an error');
  } finally {
    leave();
  }
}

/**
 * A job holds some requests, and this process has room for a number of requests. It claims the next job only while there
 * is room, and gives the requests that have none back at once, as jobs for workers that have some. Those jobs are as large
 * as the room was: so a request goes back a few times at most, and in a full worker each request travels alone.
 */
export function takeRequests(deps: RequestTakerDeps, name: QueueName, capacity: number): RequestTaker {
  const { db, queue, log } = deps;
  const taking = { ...deps, name };
  const claimer = queue.claimer(name);
  const jobs = new Set<Promise<void>>();
  const closing = new AbortController();
  let isPaused = false;
  let ring: () => void = () => undefined;
  const shares = createAccountShares(capacity, HOLD_MS, () => ring());
  const isTaking = (): boolean => !isPaused && !closing.signal.aborted;

  const runJob = async (job: ClaimedJob): Promise<void> => {
    if (job.payload.kind === 'canary') await noteCanary(db, name);
    if (!isTaking()) return job.putBack(0);
    const members = membersOf(job.payload);
    const fitting = members.slice(0, Math.max(1, shares.room()));
    const beyond = members.slice(fitting.length);
    const entering = fitting.map(async (member) => {
      const leave = await shares.enter(member.account);
      return { member, running: leave && { end: runMember(taking, member, leave) } };
    });
    if (beyond.length > 0) await giveBack(taking, beyond, { size: fitting.length, forMs: 0 });
    const entered = await Promise.all(entering);
    const refused = entered.filter(({ running }) => running === null).map(({ member }) => member);
    const kept = entered.filter(({ running }) => running !== null).map(({ member }) => member);
    const forMs = Math.round(PUT_BACK_MS * (1 + Math.random()));
    if (refused.length > 0) await giveBack(taking, refused, { size: refused.length, forMs });
    if (kept.length > 0 && kept.length < members.length) await job.setData(groupPayload(kept));
    await Promise.all(entered.flatMap(({ running }) => running?.end ?? []));
    await job.end();
  };

  const begin = (job: ClaimedJob): void => {
    const running = runJob(job)
      .catch((error: unknown) =>
        // The queue has lost the job, or it is away. Postgres knows what has ended.
        log.warn({ err: error, queue: name, jobId: job.jobId }, 'a job did not end in the queue'),
      )
      .finally(() => jobs.delete(running));
    jobs.add(running);
  };

  const takeJobs = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      if (!isTaking() || shares.room() <= 0) {
        await new Promise<void>((resolve) => {
          ring = resolve;
        });
        continue;
      }
      try {
        const job = await claimer.claim();
        if (job) begin(job);
      } catch (error) {
        if (closing.signal.aborted) return;
        log.warn({ err: error, queue: name }, 'the queue gave no job; trying again');
        await delay(RETRY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
  };
  void takeJobs();

  return {
    pause: () => {
      isPaused = true;
      return Promise.resolve();
    },
    resume: () => {
      isPaused = false;
      ring();
    },
    close: async () => {
      closing.abort();
      ring();
      await Promise.all(jobs);
      // A claim that waits can't be ended. What it claims yet goes back, or comes again from the API process.
      await claimer.close();
    },
  };
}
