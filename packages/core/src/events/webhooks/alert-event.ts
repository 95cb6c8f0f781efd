/** An event of a message, as its delivery holds it. */
export interface AlertEvent {
  type: string;
  /** What it reported has passed. */
  resolved?: boolean;
  data: Record<string, unknown>;
}

/** Words of our own, and between them texts that pages, people or servers gave. */
export interface Line {
  words: readonly string[];
  given: readonly string[];
  /** The page of the dashboard that shows it. */
  path: string;
}
