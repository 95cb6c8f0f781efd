/** A selector, path, pattern or format that can't be used. The reason is public, the column 1-based. */
export class ExpressionFault extends Error {
  readonly column: number | undefined;

  constructor(reason: string, column?: number) {
    super(reason);
    this.name = 'ExpressionFault';
    this.column = column;
  }
}
