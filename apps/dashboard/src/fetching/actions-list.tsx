import { TextInput } from '@mantine/core';
import { Choice, QuietButton, RemoveButton, textInput } from '../parts/forms.tsx';
import { ACTION_WORDS, actionOfRow, rowOfAction, type ActionRow, type BrowserAction } from './action-rows.ts';
import styles from './fetching.module.css';

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
