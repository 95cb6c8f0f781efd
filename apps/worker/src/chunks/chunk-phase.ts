/** What a chunk under way does now. */
export type Phase =
  /** Begins tasks while it has slots. */
  | 'working'
  /** Begins no further task; those under way go on. */
  | 'winding down'
  /** Holds outcomes that the sink's database did not take, and tries again. Begins no task. */
  | 'waiting for sink'
  /** Its tasks were aborted. Writes what was done; the rest goes back. */
  | 'stopping'
  /** Writes the last outcomes and gives the chunk up. */
  | 'finishing'
  /** Taken back or cancelled: writes nothing any more. */
  | 'lost'
  | 'ended';
