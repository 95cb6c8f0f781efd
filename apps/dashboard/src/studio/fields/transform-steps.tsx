import { ActionIcon, Menu, Button, TextInput } from '@mantine/core';
import type { TransformStep } from '@gleaner/contracts';
import { useState } from 'react';
import { IconPlus, IconX } from '../../parts/icons.ts';
import styles from './fields.module.css';

interface StepChoice {
  label: string;
  about: string;
  step: TransformStep;
}

const CHOICES: readonly StepChoice[] = [
  { label: 'collapse', about: 'Replaces white space with one space', step: 'collapse' },
  { label: 'regex', about: 'Keeps what a pattern finds', step: { regex: '(\\d+)' } },
  { label: 'replace', about: 'Replaces every match of a pattern', step: { replace: ['a', 'b'] } },
  { label: 'split', about: 'Cuts the text into a list', step: { split: ',' } },
  { label: 'join', about: 'Joins a list into one text', step: { join: ', ' } },
  { label: 'lower', about: 'Lower case', step: 'lower' },
  { label: 'upper', about: 'Upper case', step: 'upper' },
  { label: 'strip', about: 'Removes characters at both ends', step: { strip: '-:' } },
  { label: 'template', about: 'Puts the value into a text', step: { template: 'https://…/{value}' } },
  { label: 'map', about: 'Replaces whole values', step: { map: { yes: true, no: false } } },
  { label: 'unique', about: 'Keeps the first of equal values', step: 'unique' },
];

interface TransformStepsProps {
  steps: readonly TransformStep[];
  onChange: (steps: TransformStep[]) => void;
}

function nameOfStep(step: TransformStep): string {
  return typeof step === 'string' ? step : (Object.keys(step)[0] ?? '');
}

/** Whether the typed text is this value, however it is spaced. */
function isSameJson(text: string, shown: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === shown;
  } catch {
    return false;
  }
}

function Step({ step, onChange }: { step: TransformStep; onChange: (step: TransformStep) => void }) {
  const name = nameOfStep(step);
  const value = typeof step === 'string' ? undefined : Object.values(step)[0];
  const isText = typeof value === 'string';
  const shown = isText ? value : JSON.stringify(value);
  const [typed, setTyped] = useState({ shown, text: shown });
  let { text } = typed;
  // In the same render: an effect would come between two keys and take the later one back.
  if (typed.shown !== shown) {
    if (isText || !isSameJson(text, shown)) text = shown;
    setTyped({ shown, text });
  }
  const setText = (next: string): void => setTyped((known) => ({ ...known, text: next }));
  const [isBroken, setBroken] = useState(false);
  if (typeof step === 'string') return null;
  return (
    <TextInput
      aria-label={`Value of ${name}`}
      className="grow"
      classNames={{ input: 'mono' }}
      value={text}
      error={isBroken}
      onChange={(event) => {
        const next = event.currentTarget.value;
        setText(next);
        try {
          const read = isText ? next : (JSON.parse(next) as unknown);
          setBroken(false);
          // The engine's check reports the mistake.
          onChange({ ...step, [name]: read });
        } catch {
          setBroken(true);
        }
      }}
    />
  );
}

/** The steps that change the text before it is converted to its type. */
export function TransformSteps({ steps, onChange }: TransformStepsProps) {
  return (
    <div className={`stack ${styles.tight}`}>
      {steps.map((step, index) => (
        <div className={`row ${styles.tight}`} key={index}>
          <code className={styles.step}>{nameOfStep(step)}</code>
          <Step step={step} onChange={(next) => onChange(steps.with(index, next))} />
          <ActionIcon
            aria-label={`Remove the step ${nameOfStep(step)}`}
            onClick={() => onChange(steps.toSpliced(index, 1))}
          >
            <IconX size={14} />
          </ActionIcon>
        </div>
      ))}
      <Menu position="bottom-start">
        <Menu.Target>
          <Button variant="subtle" color="gray" leftSection={<IconPlus size={13} />} className={styles.start}>
            Step
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {CHOICES.map(({ label, about, step }) => (
            <Menu.Item key={label} onClick={() => onChange([...steps, step])}>
              <code>{label}</code> <span className="soft small">{about}</span>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
