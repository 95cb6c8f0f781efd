import { ExtractionStopped } from '@gleaner/html';

/** Limits on the output of one extraction. */
export const RESULT_LIMITS = {
  /** Values of one field with `take: "all"`, counted over the whole page. */
  values: 200_000,
  /** Cells of one table, after colspan and rowspan. */
  tableCells: 200_000,
  /** Characters of a text that a pattern is matched against. */
  patternSubject: 1_000_000,
  /** Characters of one value, in total over all values of the page. */
  totalText: 64_000_000,
  /** Failed fields that are listed individually. */
  failures: 50,
} as const;

/** Ends the extraction when a result has too many values or characters. */
export function requireWithin(values: number, characters: number): void {
  const over =
    values > RESULT_LIMITS.values
      ? `${RESULT_LIMITS.values.toLocaleString('en')} values`
      : characters > RESULT_LIMITS.totalText
        ? `${RESULT_LIMITS.totalText.toLocaleString('en')} characters`
        : undefined;
  if (over !== undefined) throw new ExtractionStopped(`the result has more than ${over}`);
}

export const XPATH_LIMITS = { predicateDepth: 3, steps: 40, wideSteps: 8 } as const;
