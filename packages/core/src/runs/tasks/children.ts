/** The children that one result gives to one stage. */
export interface Children {
  /** `runs.no` of the stage that takes them. */
  run: string;
  /** Inputs in the form that tasks store, each once. */
  inputs: string[];
  /** Text of each one's kept values, as `readCarried` takes it; null when the stage needs none. */
  carried: string[] | null;
  /** JSON text of the long values that `carried` names, by their keys: each stands once, however many children keep it. */
  values?: Readonly<Record<string, string>> | undefined;
  /** Values that are not a valid input, or exceed the limit of children per result. */
  refused: number;
}

/** Their size as they are written; UTF-16 units. */
export function childrenLength(children: readonly Children[]): number {
  let length = 0;
  for (const { inputs, carried, values = {} } of children) {
    for (const texts of [inputs, carried ?? [], Object.values(values)])
      for (const text of texts) length += text.length + 1;
  }
  return length;
}
