/** Something the person at the terminal can mend: printed as plain lines without a stack, exit code 1. */
export class Fault extends Error {
  /** @param message what is wrong, with the values involved
   * @param hint how to mend it */
  constructor(message: string, hint?: string) {
    super(hint === undefined ? message : `${message}\n  → ${hint}`);
    this.name = 'Fault';
  }
}
