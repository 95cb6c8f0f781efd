import type { ScrapeConfig } from '@gleaner/client';
import { ACTION_KINDS, type ActionKind } from '@gleaner/contracts/values';

export type BrowserAction = NonNullable<ScrapeConfig['actions']>[number];

/** An action as the form edits it. */
export interface ActionRow {
  kind: ActionKind;
  /** The selector, key or seconds. */
  target: string;
  /** What is typed or chosen there. */
  text: string;
}

/** The kinds of actions, and what their texts are. */
export const ACTION_WORDS: { readonly [K in ActionKind]: { label: string; target: string; text?: string } } =
  {
    click: { label: 'Click', target: '.load-more' },
    type: { label: 'Type', target: 'input[name=q]', text: 'the text' },
    press: { label: 'Press', target: 'Enter' },
    select: { label: 'Choose', target: 'select.sort', text: 'the option' },
    scroll: { label: 'Scroll to', target: 'end, or .footer' },
    wait: { label: 'Wait for', target: '.results, or seconds' },
  };

export function rowOfAction(action: BrowserAction): ActionRow {
  const { type, select } = action;
  if (type !== undefined) return { kind: 'type', target: type.into, text: type.text };
  if (select !== undefined) return { kind: 'select', target: select.in, text: select.value };
  const { click, press, scroll, wait } = action;
  const kind = ACTION_KINDS.find((one) => action[one] !== undefined) ?? 'click';
  return { kind, target: String(click ?? press ?? scroll ?? wait ?? ''), text: '' };
}

export function actionOfRow({ kind, target, text }: ActionRow): BrowserAction {
  if (kind === 'type') return { type: { into: target, text } };
  if (kind === 'select') return { select: { in: target, value: text } };
  const isSeconds = kind === 'wait' && /^\d+(\.\d+)?$/.test(target.trim());
  return { [kind]: isSeconds ? Number(target) : target };
}
