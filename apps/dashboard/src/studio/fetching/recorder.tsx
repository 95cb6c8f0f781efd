import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Form, textInput } from '../../parts/forms.tsx';
import type { KeptPage } from '../extraction/protocol.ts';
import { describeElement } from '../picker/elements.ts';
import type { StudioState } from '../use-studio-state.ts';
import { ActionsList } from '../../fetching/actions-list.tsx';
import { RefetchButton } from './fetch-side.tsx';
import styles from './fetching.module.css';
import { doingOf, type useRecorder } from './use-recorder.ts';

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
