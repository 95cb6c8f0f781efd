import { Menu, TextInput } from '@mantine/core';
import type { TransformStep } from '@gleaner/contracts';
import { QuietButton, RemoveButton, textInput } from '../../parts/forms.tsx';
import styles from './fields.module.css';
import { useTyped } from './use-typed.ts';

const CHOICES: readonly { about: string; step: TransformStep }[] = [
  { about: 'Replaces white space with one space', step: 'collapse' },
  { about: 'Keeps what a pattern finds', step: { regex: '(\\d+)' } },
  { about: 'Replaces every match of a pattern', step: { replace: ['a', 'b'] } },
  { about: 'Cuts the text into a list', step: { split: ',' } },
  { about: 'Joins a list into one text', step: { join: ', ' } },
  { about: 'Lower case', step: 'lower' },
  { about: 'Upper case', step: 'upper' },
  { about: 'Removes characters at both ends', step: { strip: '-:' } },
  { about: 'Puts the value into a text', step: { template: 'https://…/{value}' } },
  { about: 'Replaces whole values', step: { map: { yes: true, no: false } } },
  { about: 'Keeps the first of equal values', step: 'unique' },
];

interface TransformStepsProps {
  steps: readonly TransformStep[];
  onChange: (steps: TransformStep[]) => void;
}

/** `regex` of `{ regex: … }`. */
export function nameOfStep(step: unknown): string {
  return typeof step === 'string' ? step : (Object.keys(step as object)[0] ?? '');
}

/** What a typed text is as JSON; undefined while it is not complete. */
function readJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

interface StepValueProps {
  step: Exclude<TransformStep, string>;
  onChange: (step: TransformStep) => void;
}

function StepValue({ step, onChange }: StepValueProps) {
  const [name = '', value] = Object.entries(step)[0] ?? [];
  const isText = typeof value === 'string';
  const read = (text: string) => (isText ? { value: text } : readJson(text));
  const [text, setText] = useTyped(isText ? value : JSON.stringify(value), (typed) =>
    isText ? typed : JSON.stringify(readJson(typed)?.value ?? typed),
  );
  return (
    <TextInput
      aria-label={`Value of ${name}`}
      className="grow"
      classNames={{ input: 'mono' }}
      error={read(text) === undefined}
      {...textInput(text, (next) => {
        setText(next);
        const known = read(next);
        // The engine's check reports the mistake.
        if (known) onChange({ ...step, [name]: known.value });
      })}
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
          {typeof step !== 'string' && (
            <StepValue step={step} onChange={(next) => onChange(steps.with(index, next))} />
          )}
          <RemoveButton
            label={`Remove the step ${nameOfStep(step)}`}
            onClick={() => onChange(steps.toSpliced(index, 1))}
          />
        </div>
      ))}
      <Menu position="bottom-start">
        <Menu.Target>
          <QuietButton className={styles.start}>Step</QuietButton>
        </Menu.Target>
        <Menu.Dropdown>
          {CHOICES.map(({ about, step }) => (
            <Menu.Item key={about} onClick={() => onChange([...steps, step])}>
              <code>{nameOfStep(step)}</code> <span className="soft small">{about}</span>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
