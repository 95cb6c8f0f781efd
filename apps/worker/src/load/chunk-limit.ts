/** The part of its time for which the event loop may be busy while interactive requests come. */
const MOST_BUSY = 0.6;
/** Below this part there is room for further chunks. */
const CALM = 0.4;
const CUT = 0.7;
const GROWTH = 1.25;
/** The limit of chunks that begin together, and its growth over the number that ran lately. */
const FIRST = 2;
const MOST_GROWTH = 2;
/** What is left of the chunks that ran lately, each time. */
const MEMORY = 0.8;

/** What a process measured since the limit was set. */
export interface LoopLoad {
  /** The part of its time for which the event loop was busy. */
  utilization: number;
  /** The chunks that run. */
  used: number;
  /** The most interactive requests at once. */
  interactive: number;
}

/**
 * How many chunks of few tasks a process runs at once. Their starts and ends cost far more than their pages, in this
 * process and in Postgres, and interactive requests wait for both. So it runs fewer of them while such requests come and
 * the event loop is busy, but always as many as there are requests: these can't stop batches. While such requests come,
 * the number of chunks rises step by step: when thousands of crons fire, a full load at once would delay a request by 200 ms.
 */
export interface ChunkLimit {
  /** Infinity without a limit. */
  current(): number;
  adjust(load: LoopLoad): void;
}

/** @param most the number of chunks above which there is no limit */
export function createChunkLimit(most: number): ChunkLimit {
  let limit = Infinity;
  let lately = 0;
  return {
    current: () => limit,
    adjust: ({ utilization, used, interactive }) => {
      lately = Math.max(used, lately * MEMORY);
      if (interactive === 0) {
        limit = Infinity;
        return;
      }
      if (utilization > MOST_BUSY) limit = Math.floor(Math.min(limit, used) * CUT);
      else if (utilization < CALM) limit = Math.ceil(limit * GROWTH);
      limit = Math.min(limit, Math.max(Math.ceil(lately * MOST_GROWTH), FIRST));
      limit = Math.max(limit, interactive);
      if (limit > most) limit = Infinity;
    },
  };
}
