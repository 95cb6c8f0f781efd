import { Button } from '@mantine/core';
import { plural } from '../format/format.ts';
import { isRegression, Regression } from '../samples/regression.tsx';
import { SampleChanges, type SampleChange } from '../samples/sample-changes.tsx';
import { Failure } from '../parts/page.tsx';
import type { Draft } from './schema/draft.ts';

/** A save as a mutation reports it. */
interface Save {
  error: Error | null;
  isPending: boolean;
  mutate: (isForced: boolean) => void;
  reset: () => void;
}

interface SaveNoticeProps {
  /** Undefined for a parser that isn't saved yet. */
  parserId: string | undefined;
  draft: Draft;
  save: Save;
  /** What the saved version reads differently on the samples. */
  changes: readonly SampleChange[];
  onRead: () => void;
}

/** The answer to a save, where it needs attention: a refusal, or values that read differently now. */
export function SaveNotice({ parserId, draft, save, changes, onRead }: SaveNoticeProps) {
  if (parserId !== undefined && isRegression(save.error)) {
    return (
      <Regression
        parserId={parserId}
        compared={{ schema: { ...draft } }}
        isForcing={save.isPending}
        onForce={() => save.mutate(true)}
        onClose={save.reset}
      />
    );
  }
  if (save.error !== null) return <Failure error={save.error} />;
  if (changes.length === 0) return null;
  return (
    <div className="notice" role="status">
      <div className="stack grow">
        <strong>Saved. {plural(changes.length, 'value')} changed on samples.</strong>
        <SampleChanges changes={changes} />
        <div>
          <Button variant="default" onClick={onRead}>
            Close
          </Button>
        </div>
      </div>
    </div>
  );
}
