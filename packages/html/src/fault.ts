/** A selector, path, pattern or format that can't be used. The reason is public, the column 1-based. */
export class ExpressionFault extends Error {
  readonly column: number | undefined;
  /** Where in the source it is, if not the source itself: `['script']`. */
  readonly at: readonly string[];

  constructor(reason: string, column?: number, at: readonly string[] = []) {
    super(reason);
    this.at = at;
    this.name = 'ExpressionFault';
    this.column = column;
  }
}

/** Ends an extraction that passes a limit on what it may produce. */
export class ExtractionStopped extends Error {}
