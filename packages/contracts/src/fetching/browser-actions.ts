import { z } from 'zod';
import { ACTION_KINDS, type ActionKind } from '../values/index.ts';
import { parse } from 'css-what';

/**
 * Whether a text has the grammar of a CSS selector. This finds mistakes such as `##` or `a[`. A browser may still
 * reject a selector with an unknown pseudo-class.
 */
function isCssSelector(text: string): boolean {
  try {
    return parse(text).every((tokens) => tokens.length > 0 && !isCombinator(tokens.at(-1)?.type));
  } catch {
    return false;
  }
}

const COMBINATORS = new Set(['adjacent', 'child', 'descendant', 'parent', 'sibling', 'column-combinator']);

function isCombinator(type: string | undefined): boolean {
  return type !== undefined && COMBINATORS.has(type);
}

/** Actions of one configuration. */
export const MAX_ACTIONS = 20;
/** Seconds that one action may wait. */
const MAX_WAIT_SECONDS = 60;

export const browserSelectorField = z
  .string()
  .min(1)
  .max(500)
  .refine(isCssSelector, 'is not a CSS selector: write one such as .price or #results');

const NAMED_KEYS = [
  'Enter',
  'Tab',
  'Escape',
  'Backspace',
  'Delete',
  'Space',
  'Home',
  'End',
  'PageUp',
  'PageDown',
  'ArrowUp',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
];

const KEY = new RegExp(
  String.raw`^((Control|Shift|Alt|Meta)\+){0,3}(${NAMED_KEYS.join('|')}|F([1-9]|1[0-2])|[!-~])$`,
);

const ACTIONS = {
  click: browserSelectorField.describe('Click the first visible element that matches.'),
  type: z
    .strictObject({ into: browserSelectorField, text: z.string().max(1_000) })
    .describe('Replace the content of a field, key by key.'),
  press: z
    .string()
    .regex(
      KEY,
      `must be one character, F1 to F12 or one of ${NAMED_KEYS.join(', ')}; Control+A is written so`,
    )
    .describe('Press a key: Enter, ArrowDown, Control+A, a.'),
  select: z
    .strictObject({ in: browserSelectorField, value: z.string().max(1_000) })
    .describe('Choose the option of a `<select>` that has this value or label.'),
  scroll: browserSelectorField.describe(
    '`end`: to the end of the page; otherwise until the element is in view.',
  ),
  wait: z
    .union(
      [z.number().min(0).max(MAX_WAIT_SECONDS), browserSelectorField],
      `must be a CSS selector or a number of seconds from 0 to ${MAX_WAIT_SECONDS}`,
    )
    .describe('Wait for an element, or this many seconds.'),
} satisfies Record<ActionKind, z.ZodType>;

/** `gone` repeats a click until no such element can be clicked, `stable` a scroll to the end until nothing is added. */
const untilField = z.enum(['gone', 'stable']);

/** One step; what all of them look like, the description of `actionsField` says. */
export const actionSchema = z
  .strictObject({ ...ACTIONS, until: untilField })
  .partial()
  .superRefine((action, context) => {
    const { until, click, scroll } = action;
    const isRepeatable = until === 'gone' ? click !== undefined : scroll === 'end';
    if (until !== undefined && !isRepeatable) {
      const message =
        until === 'gone'
          ? 'needs a click: {"click": css, "until": "gone"}'
          : 'needs a scroll to the end: {"scroll": "end", "until": "stable"}';
      context.addIssue({ code: 'custom', path: ['until'], message });
    }
    const kinds = ACTION_KINDS.filter((kind) => action[kind] !== undefined);
    if (kinds.length === 1) return;
    const found = kinds.length === 0 ? 'has no action' : `has ${kinds.length} actions (${kinds.join(', ')})`;
    context.addIssue({ code: 'custom', message: `${found}: give exactly one of ${ACTION_KINDS.join(', ')}` });
  });

/** One step in the browser: an object with exactly one of these keys, and `until` where it is repeated. Data, never code. */
export type BrowserAction = z.output<typeof actionSchema>;

/** Seconds that actions wait, apart from waits for elements. */
export function actionWaitSeconds(actions: readonly BrowserAction[] = []): number {
  return actions.reduce((sum, { wait }) => sum + (typeof wait === 'number' ? wait : 0), 0);
}

export const actionsField = z
  .array(actionSchema)
  .min(1)
  .max(MAX_ACTIONS)
  .describe(
    `Browser only: up to ${MAX_ACTIONS} steps after loading: {"click": css, "until"?: "gone"}, {"type": {"into": css, "text": t}}, {"press": key}, {"select": {"in": css, "value": v}}, {"scroll": css | "end", "until"?: "stable"}, {"wait": css | seconds}.`,
  );
