import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Form, textInput, withMember } from '../../parts/forms.tsx';
import type { KeptPage } from '../extraction/protocol.ts';
import { describeElement } from '../picker/elements.ts';
import { suggestSelectors } from '../picker/selectors.ts';
import type { StudioState } from '../use-studio-state.ts';
import {
  actionOfRow,
  ActionsList,
  isRepeatable,
  repeated,
  type BrowserAction,
} from '../../fetching/actions-list.tsx';
import { RefetchButton } from './fetch-side.tsx';
import styles from './fetching.module.css';

const TYPED = /^(text|search|email|url|tel|number|password|date|)$/;

/** What a person can do with an element in a page. */
function doingOf(element: Element): 'click' | 'type' | 'select' {
  if (element.localName === 'select') return 'select';
  if (element.localName === 'textarea') return 'type';
  const isTyped = element.localName === 'input' && TYPED.test(element.getAttribute('type') ?? '');
  return isTyped ? 'type' : 'click';
}

/** The action that does this with the element; undefined when nothing selects it. */
function actionOn(element: Element, text: string): BrowserAction | undefined {
  const target = suggestSelectors(element)[0]?.selector;
  return target === undefined
    ? undefined
    : actionOfRow({ kind: doingOf(element), target, text, isRepeated: false });
}

/** Records what a person does in the page as actions of the browser. */
export function useRecorder({ config, configure }: StudioState) {
  const [isRecording, setRecording] = useState(false);
  /** A field that waits for what is typed or chosen in it. */
  const [field, setField] = useState<Element | undefined>();
  const actions = config.actions ?? [];
  const last = actions.at(-1);
  const record = (next: readonly BrowserAction[]): void =>
    configure({
      ...withMember(config, 'actions', next.length === 0 ? undefined : [...next]),
      useBrowser: true,
    });
  const add = (action: BrowserAction | undefined): void => {
    if (action !== undefined) record([...actions, action]);
    setField(undefined);
  };
  return {
    isRecording,
    begin: () => setRecording(true),
    end: () => {
      setRecording(false);
      setField(undefined);
    },
    actions,
    record,
    field,
    onPick: (element: Element) => {
      if (doingOf(element) === 'click') add(actionOn(element, ''));
      else setField(element);
    },
    onText: (text: string) => field && add(actionOn(field, text)),
    /** Repeats what was done last until there is no more; undefined where it can't be repeated. */
    onRepeat:
      last === undefined || !isRepeatable(last) || last.until !== undefined
        ? undefined
        : () => record([...actions.slice(0, -1), repeated(last)]),
    onEnd: () => {
      if (last?.scroll !== 'end') add({ scroll: 'end' });
    },
  };
}

/** Asks what is typed or chosen in a field of the page. */
function FieldText({ field, onText }: { field: Element; onText: (text: string) => void }) {
  const [text, setText] = useState('');
  const options = [...field.querySelectorAll('option')].map((option) => option.textContent?.trim() ?? '');
  return (
    <Form className="row bottom" onSubmit={() => onText(text)}>
      {doingOf(field) === 'select' ? (
        <NativeSelect
          label={`Choose in ${describeElement(field)}`}
          data={['', ...options]}
          className="grow"
          {...textInput(text, setText)}
        />
      ) : (
        <TextInput
          label={`Type into ${describeElement(field)}`}
          className="grow"
          {...textInput(text, setText)}
          autoFocus
        />
      )}
      <Button type="submit" variant="default" disabled={text === ''}>
        Add
      </Button>
    </Form>
  );
}

interface RecorderProps {
  recording: ReturnType<typeof useRecorder>;
  studio: StudioState;
  page: KeptPage;
}

/** The actions recorded so far. The page itself has no scripts: it shows their effect once it is fetched again. */
export function Recorder({ recording, studio, page }: RecorderProps) {
  const { field } = recording;
  return (
    <section className={`stack tight ${styles.recorder}`} aria-label="Recording">
      <p className="small soft">
        Click, type or scroll to the end in the page: the browser will do the same.
      </p>
      {field !== undefined && <FieldText field={field} onText={recording.onText} />}
      <ActionsList actions={recording.actions} onChange={recording.record} />
      <div className="row wrap">
        {recording.onRepeat !== undefined && (
          <Button variant="default" onClick={recording.onRepeat}>
            Repeat until there is no more
          </Button>
        )}
        <RefetchButton studio={studio} page={page} />
        <Button variant="subtle" color="gray" onClick={recording.end}>
          Done
        </Button>
      </div>
    </section>
  );
}
