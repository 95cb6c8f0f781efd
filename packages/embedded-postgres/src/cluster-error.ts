/** A fault of the cluster or its surroundings that the user can correct. */
export class ClusterError extends Error {
  readonly hint: string | undefined;

  /** @param message the mistake, with the values involved
   * @param hint how to correct it */
  constructor(message: string, hint?: string) {
    super(message);
    this.name = 'ClusterError';
    this.hint = hint;
  }
}
