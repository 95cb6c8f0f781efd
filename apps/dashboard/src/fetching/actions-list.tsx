import type { ScrapeConfig } from '@gleaner/client';
import { ACTION_KINDS, type ActionKind } from '@gleaner/contracts/values';
import { Checkbox, TextInput } from '@mantine/core';
import { Choice, QuietButton, RemoveButton, textInput, tickBox } from '../parts/forms.tsx';
import styles from './fetching.module.css';

export type BrowserAction = NonNullable<ScrapeConfig['actions']>[number];

/** An action as the form edits it. */
interface ActionRow {
  kind: ActionKind;
  /** The selector, key or seconds. */
  target: string;
  /** What is typed or chosen there. */
  text: string;
  /** Whether it is repeated until there is no more. */
  isRepeated: boolean;
}

/** The kinds of actions, and what their texts are. */
const ACTION_WORDS: { readonly [K in ActionKind]: { label: string; target: string; text?: string } } = {
  click: { label: 'Click', target: '.load-more' },
  type: { label: 'Type', target: 'input[name=q]', text: 'the text' },
  press: { label: 'Press', target: 'Enter' },
  select: { label: 'Choose', target: 'select.sort', text: 'the option' },
  scroll: { label: 'Scroll to', target: 'end, or .footer' },
  wait: { label: 'Wait for', target: '.results, or seconds' },
};

function rowOfAction(action: BrowserAction): ActionRow {
  const { type, select } = action;
  const isRepeated = action.until !== undefined;
  if (type !== undefined) return { kind: 'type', target: type.into, text: type.text, isRepeated };
  if (select !== undefined) return { kind: 'select', target: select.in, text: select.value, isRepeated };
  const { click, press, scroll, wait } = action;
  const kind = ACTION_KINDS.find((one) => action[one] !== undefined) ?? 'click';
  return { kind, target: String(click ?? press ?? scroll ?? wait ?? ''), text: '', isRepeated };
}

/** Whether a step can be repeated until there is no more: a click, or scrolling to the end. */
export function isRepeatable({ click, scroll }: BrowserAction): boolean {
  return click !== undefined || scroll === 'end';
}

/** The step, repeated until there is no more. */
export function repeated(action: BrowserAction): BrowserAction {
  return { ...action, until: action.click === undefined ? 'stable' : 'gone' };
}

export function actionOfRow({ isRepeated, ...row }: ActionRow): BrowserAction {
  const action = onceOfRow(row);
  return isRepeated && isRepeatable(action) ? repeated(action) : action;
}

function onceOfRow({ kind, target, text }: Omit<ActionRow, 'isRepeated'>): BrowserAction {
  if (kind === 'type') return { type: { into: target, text } };
  if (kind === 'select') return { select: { in: target, value: text } };
  const isSeconds = kind === 'wait' && /^\d+(\.\d+)?$/.test(target.trim());
  return { [kind]: isSeconds ? Number(target) : target };
}

interface ActionsListProps {
  actions: readonly BrowserAction[];
  error?: string | undefined;
  onChange: (actions: BrowserAction[]) => void;
}

/** The steps that the browser takes after a page has loaded, in order. */
export function ActionsList({ actions, error, onChange }: ActionsListProps) {
  const rows = actions.map(rowOfAction);
  const change = (index: number, row: ActionRow): void =>
    onChange(actions.toSpliced(index, 1, actionOfRow(row)));
  return (
    <div className="stack tight" role="group" aria-label="Actions in the browser">
      {rows.map((row, index) => (
        <div key={index} className={styles.action}>
          <Choice
            aria-label="Action"
            words={ACTION_WORDS}
            value={row.kind}
            w={104}
            onChange={(kind) => change(index, { ...row, kind })}
          />
          <TextInput
            aria-label={row.kind === 'press' ? 'Key' : 'Where'}
            placeholder={ACTION_WORDS[row.kind].target}
            className="grow"
            classNames={{ input: 'mono' }}
            {...textInput(row.target, (target) => change(index, { ...row, target }))}
          />
          {ACTION_WORDS[row.kind].text !== undefined && (
            <TextInput
              aria-label="Text"
              placeholder={ACTION_WORDS[row.kind].text}
              className="grow"
              {...textInput(row.text, (text) => change(index, { ...row, text }))}
            />
          )}
          {isRepeatable(onceOfRow(row)) && (
            <Checkbox
              label="until there is no more"
              {...tickBox(row.isRepeated, (isRepeated) => change(index, { ...row, isRepeated }))}
            />
          )}
          <RemoveButton
            label={`Remove action ${index + 1}`}
            onClick={() => onChange(actions.toSpliced(index, 1))}
          />
        </div>
      ))}
      {error !== undefined && <div className="bad-text small">{error}</div>}
      <div>
        <QuietButton onClick={() => onChange([...actions, { click: '' }])}>Action</QuietButton>
      </div>
    </div>
  );
}
