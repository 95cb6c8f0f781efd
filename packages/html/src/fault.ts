/** An invalid selector, path, pattern or format. Clients see the reason. The column is 1-based. */
export class ExpressionFault extends Error {
  readonly column: number | undefined;
  /** The path to the faulty part within the source, such as `['script']`. */
  readonly at: readonly string[];

  constructor(reason: string, column?: number, at: readonly string[] = []) {
    super(reason);
    this.at = at;
    this.name = 'ExpressionFault';
    this.column = column;
  }
}

/** Ends an extraction that exceeds a limit on its output. */
export class ExtractionStopped extends Error {}
