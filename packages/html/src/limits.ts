/** Limits on a page. They keep the worst hostile page within two seconds and 300 MB. */
export const PAGE_LIMITS = {
  /** Nesting depth. Chromium flattens deeper than 512; few real pages exceed 100. */
  depth: 2_000,
  /** Elements, texts and comments. */
  nodes: 1_000_000,
  /** Attributes of one element. */
  attributes: 2_000,
  /** Attributes of all elements. */
  totalAttributes: 2_000_000,
} as const;

/** Limits on one selector, checked when a parser is saved. */
export const SELECTOR_LIMITS = {
  /** Compounds over the whole selector list, nested selectors included. */
  compounds: 40,
  /** Nesting of :has(), :not(), :is() and :where(). */
  nesting: 4,
  hasDepth: 2,
  siblingCombinators: 8,
} as const;
