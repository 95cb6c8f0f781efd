/** The current phase of a running chunk. */
export type Phase =
  /** Begins tasks while it has slots. */
  | 'working'
  /** Begins no further task; running ones continue. */
  | 'winding down'
  /** Holds outcomes while the sink's database is unavailable, and retries. Begins no task. */
  | 'waiting for sink'
  /** The tasks were aborted. The chunk writes finished outcomes and returns the rest. */
  | 'stopping'
  /** Writes the last outcomes and releases the chunk. */
  | 'finishing'
  /** Another worker has the chunk, or it was cancelled. Writes nothing more. */
  | 'lost'
  | 'ended';
