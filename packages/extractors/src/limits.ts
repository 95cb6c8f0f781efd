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
  /** Characters that one extraction may build on the way: raw values and what transforms make of them. */
  builtText: 128_000_000,
  /** The same for a try, of which the caller gets what was read: previews and samples, which are free. */
  triedText: 16_000_000,
  /** Characters of the page that one XPath may read, each time it reads them: it joins what it reads. */
  xpathText: 128_000_000,
  /** Characters of the JSON text of a result, in which some characters take six. */
  jsonText: 128_000_000,
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

/** Extraction is synchronous, so a thread has one budget at a time. */
let built = 0;
let most: number = RESULT_LIMITS.builtText;

/** Starts the budget of characters of an extraction. */
export function startBudget(characters: number): void {
  built = 0;
  most = characters;
}

/**
 * Takes the characters of a value that is about to be built from the budget of the extraction.
 * @throws ExtractionStopped when the value or the budget is too large
 */
export function spend(characters: number): void {
  requireWithin(0, characters);
  built += characters;
  if (built <= most) return;
  throw new ExtractionStopped(
    `the values and what their steps build have more than ${most.toLocaleString('en')} characters`,
  );
}

let read = 0;
/** Why the running XPath has to end; fontoxpath wraps what its functions throw. */
let stop: ExtractionStopped | undefined;

/** Runs one XPath with a limit on the text of the page that it reads. */
export function withReading<T>(run: () => T): T {
  read = 0;
  stop = undefined;
  try {
    return run();
  } catch (error) {
    throw stop ?? error;
  }
}

/** Counts text that an XPath reads. @throws ExtractionStopped when it is too much */
export function spendReading(characters: number): void {
  read += characters;
  if (read <= RESULT_LIMITS.xpathText) return;
  const most = RESULT_LIMITS.xpathText.toLocaleString('en');
  stop = new ExtractionStopped(`the XPath reads more than ${most} characters of the page`);
  throw stop;
}

export const XPATH_LIMITS = { predicateDepth: 3, steps: 40, wideSteps: 8 } as const;
