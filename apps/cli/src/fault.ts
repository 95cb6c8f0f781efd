/** The message of what was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A mistake that the user can correct. The command line prints it without a stack and exits with code 1. */
export class Fault extends Error {
  readonly what: string;
  readonly hint: string | undefined;

  /** @param message the mistake, with the values involved
   * @param hint how to correct it */
  constructor(message: string, hint?: string) {
    super(hint === undefined ? message : `${message}\n  → ${hint}`);
    this.name = 'Fault';
    this.what = message;
    this.hint = hint;
  }
}
