import type { CallInput, CallResult } from '@gleaner/core';
import { AppError, cutText } from '@gleaner/contracts';

/** Keys that a client sends back as they are. */
const WHOLE = new Set(['cursor', 'pagination', 'id']);

/** Objects of operations have fewer fields; those of a page's data may have any number. */
const LEAST_FIELDS = 100;

/** The same value with texts, lists and very large objects cut to the caps; types stay, so that it still fits its schema. */
function cut(
  value: unknown,
  caps: { characters: number; elements: number },
  count: (leftOut: number) => void,
): unknown {
  if (typeof value === 'string') {
    if (value.length <= caps.characters) return value;
    count(value.length - caps.characters);
    return `${cutText(value, caps.characters)}…`;
  }
  if (Array.isArray(value)) {
    count(Math.max(0, value.length - caps.elements));
    return value.slice(0, caps.elements).map((element) => cut(element, caps, count));
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  const most = Math.max(caps.elements, LEAST_FIELDS);
  count(Math.max(0, fields.length - most));
  return Object.fromEntries(
    fields.slice(0, most).map(([key, inner]) => [key, WHOLE.has(key) ? inner : cut(inner, caps, count)]),
  );
}

/**
 * Cuts long texts, lists and objects until the value as JSON fits the number of characters. Objects of many short
 * fields in each other may stay larger.
 * @returns leftOut: how many characters of texts, and elements of lists, are missing
 */
function fit(whole: unknown, maxCharacters: number): { value: unknown; leftOut: number } {
  let value = whole;
  let leftOut = 0;
  const caps = { characters: maxCharacters, elements: Math.ceil(maxCharacters / 4) };
  while (sizeOf(value) > maxCharacters && caps.characters > 20) {
    value = cut(value, caps, (some) => (leftOut += some));
    caps.characters = Math.floor(caps.characters / 2);
    caps.elements = Math.max(1, Math.floor(caps.elements / 2));
  }
  return { value, leftOut };
}

/** Characters of the value as JSON. */
function sizeOf(value: unknown): number {
  return (JSON.stringify(value) ?? '').length;
}

/** Characters of an answer that is made a value here: more would keep the process busy for too long. */
const MOST_CHARACTERS = 16_000_000;

/** @throws AppError extraction_failed: it is too long for an agent, whatever is cut */
export function readJsonText(jsonText: string): unknown {
  if (jsonText.length > MOST_CHARACTERS)
    throw new AppError('extraction_failed', {
      detail: `the answer has ${jsonText.length.toLocaleString('en')} characters, and a tool reads at most 16,000,000`,
      hint: 'Read fewer fields, or call the REST API, which answers with all of it.',
      retryable: false,
    });
  return JSON.parse(jsonText);
}

/** The answer of a call as a JSON value. */
export interface PlainAnswer {
  value: unknown;
  credits: CallResult['credits'];
  fetchedBy?: CallResult['fetchedBy'];
}

/** A page that had no cursor may get one of this size. */
const CURSOR_CHARACTERS = 200;
const MOST_READS = 4;

interface FitOptions {
  maxCharacters: number;
  /** Whether the operation answers with pages of a list, and takes their size as `limit`. */
  isPaged: boolean;
  run: (input: CallInput) => Promise<PlainAnswer>;
}

/** What a first page has beside its list. */
const BESIDE = 'causes';

/** What a page of a list is called in an answer, and its elements. */
function pageOf(value: unknown): [name: string, elements: readonly unknown[]] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value))
    if (Array.isArray(inner) && name !== BESIDE) return [name, inner];
  return undefined;
}

/** How many of the first elements fit beside the rest of the answer; at least one. */
function countFitting(value: unknown, elements: readonly unknown[], maxCharacters: number): number {
  const sizes = elements.map((element) => sizeOf(element) + 1);
  let room = maxCharacters - CURSOR_CHARACTERS - sizeOf(value) + sizes.reduce((sum, size) => sum + size, 0);
  const first = sizes.findIndex((size) => (room -= size) < 0);
  return Math.max(1, first === -1 ? elements.length : first);
}

/** Reads a smaller page when a page is too long, so that its cursor leads to the next element. */
async function fitPage(first: unknown, input: CallInput, options: FitOptions): Promise<unknown> {
  let value = first;
  for (let round = 0; round < MOST_READS; round += 1) {
    const [, elements] = pageOf(value) ?? ['', []];
    if (elements.length <= 1 || sizeOf(value) <= options.maxCharacters) return value;
    // A list can change between two reads; the next page is smaller in any case.
    const limit = Math.min(countFitting(value, elements, options.maxCharacters), elements.length - 1);
    const query = { ...(input.query as Record<string, unknown> | undefined), limit };
    ({ value } = await options.run({ ...input, query }));
  }
  return value;
}

/**
 * The value of an answer within the budget of its tool. A page of a list gets fewer elements; in a value that is still
 * too long, texts and lists are cut.
 * @returns `cut` names the missing parts, and how to read them
 */
export async function fitResult(
  { value: first }: PlainAnswer,
  input: CallInput,
  options: FitOptions,
): Promise<{ value: unknown; cut: string | undefined }> {
  const page = options.isPaged ? await fitPage(first, input, options) : first;
  const { value, leftOut } = fit(page, options.maxCharacters);
  if (leftOut > 0) {
    return {
      value,
      cut: `Texts and lists were cut to fit max_characters ${options.maxCharacters}: about ${leftOut} characters or elements are missing. Ask for less, or raise max_characters.`,
    };
  }
  if (page === first) return { value, cut: undefined };
  const count = pageOf(page)?.[1].length ?? 0;
  return {
    value,
    cut: `This page holds ${count} ${count === 1 ? 'element' : 'elements'} to fit max_characters ${options.maxCharacters}. Pass its cursor to read on.`,
  };
}
