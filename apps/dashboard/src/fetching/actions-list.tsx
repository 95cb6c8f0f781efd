import { ActionIcon, Button, Select, TextInput } from '@mantine/core';
import { ACTION_KINDS } from '@gleaner/contracts/values';
import { IconPlus, IconX } from '../parts/icons.ts';
import { ACTION_WORDS, actionOfRow, rowOfAction, type ActionRow, type BrowserAction } from './action-rows.ts';
import styles from './fetching.module.css';

const KINDS = ACTION_KINDS.map((value) => ({ value, label: ACTION_WORDS[value].label }));

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
          <Select
            aria-label="Action"
            data={KINDS}
            value={row.kind}
            allowDeselect={false}
            w={104}
            onChange={(kind) => change(index, { ...row, kind: kind ?? 'click' })}
          />
          <TextInput
            aria-label={row.kind === 'press' ? 'Key' : 'Where'}
            placeholder={ACTION_WORDS[row.kind].target}
            className="grow"
            classNames={{ input: 'mono' }}
            value={row.target}
            onChange={(event) => change(index, { ...row, target: event.currentTarget.value })}
          />
          {ACTION_WORDS[row.kind].text !== undefined && (
            <TextInput
              aria-label="Text"
              placeholder={ACTION_WORDS[row.kind].text}
              className="grow"
              value={row.text}
              onChange={(event) => change(index, { ...row, text: event.currentTarget.value })}
            />
          )}
          <ActionIcon
            aria-label={`Remove action ${index + 1}`}
            onClick={() => onChange(actions.toSpliced(index, 1))}
          >
            <IconX size={14} />
          </ActionIcon>
        </div>
      ))}
      {error !== undefined && <div className="bad-text small">{error}</div>}
      <div>
        <Button
          variant="subtle"
          color="gray"
          leftSection={<IconPlus size={13} />}
          onClick={() => onChange([...actions, { click: '' }])}
        >
          Action
        </Button>
      </div>
    </div>
  );
}
