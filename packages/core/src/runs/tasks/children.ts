/** The children that one result gives to one stage. */
export interface Children {
  /** `runs.no` of the stage that takes them. */
  run: string;
  /** Inputs in the form that tasks store, each once. */
  inputs: string[];
  /** JSON text of each one's kept values; null when the stage needs none. */
  carried: string[] | null;
  /** Values that are not a valid input, or exceed the limit of children per result. */
  refused: number;
}
