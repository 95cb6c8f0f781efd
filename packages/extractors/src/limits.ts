import { ExtractionStopped } from './fault.ts';

/** Bounds on a page. They keep the worst hostile page within two seconds and 300 MB. */
export const PAGE_LIMITS = {
  /** Open elements at once; Chromium flattens at 512 and few real pages pass 100. */
  depth: 2_000,
  /** Elements, texts and comments. */
  nodes: 1_000_000,
  /** Attributes of one element. */
  attributes: 2_000,
  /** Attributes of all elements. */
  totalAttributes: 2_000_000,
} as const;

/** Bounds on what one extraction may produce. */
export const RESULT_LIMITS = {
  /** Values of one field with `take: "all"`, counted over the whole page. */
  values: 200_000,
  /** Cells of one table, after colspan and rowspan. */
  tableCells: 200_000,
  /** Characters that a pattern is matched against. */
  patternSubject: 1_000_000,
  /** Characters of one value, in total over all values of the page. */
  totalText: 64_000_000,
  /** Failed fields that are listed one by one. */
  failures: 50,
} as const;

/** Ends the extraction when there are more values, or characters in them, than a result may have. */
export function requireWithin(values: number, characters: number): void {
  const over =
    values > RESULT_LIMITS.values
      ? `${RESULT_LIMITS.values.toLocaleString('en')} values`
      : characters > RESULT_LIMITS.totalText
        ? `${RESULT_LIMITS.totalText.toLocaleString('en')} characters`
        : undefined;
  if (over !== undefined) throw new ExtractionStopped(`the result has more than ${over}`);
}

/** Bounds on one selector, checked when a parser is saved. */
export const SELECTOR_LIMITS = {
  /** Compounds over the whole selector list, nested selectors included. */
  compounds: 40,
  /** Nesting of :has(), :not(), :is() and :where(). */
  nesting: 4,
  hasDepth: 2,
  siblingCombinators: 8,
} as const;

export const XPATH_LIMITS = { predicateDepth: 3, steps: 40, wideSteps: 8 } as const;
