import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { plural } from '../format/format.ts';
import { Failure } from '../parts/page.tsx';
import { SampleChanges } from '../samples/sample-changes.tsx';
import { VersionFailure } from '../samples/version-failure.tsx';
import type { StudioState } from './use-studio-state.ts';

/** The answer to a save, where it needs attention: a refusal, or values that read differently now. */
export function SaveNotice({ studio }: { studio: StudioState }) {
  const { record, draft, save, changes, forgetChanges } = studio;
  if (save.error !== null)
    return (
      <VersionFailure
        parserId={record?.id ?? ''}
        change={save}
        versionOf={() => ({ schema: { ...draft } })}
      />
    );
  if (changes.length === 0) return null;
  return (
    <div className="notice" role="status">
      <div className="stack grow">
        <strong>Saved. {plural(changes.length, 'value')} changed on samples.</strong>
        <SampleChanges changes={changes} />
        <div>
          <Button variant="default" onClick={forgetChanges}>
            Close
          </Button>
        </div>
      </div>
    </div>
  );
}

/** The outcome of keeping a page as a sample. */
export function SampleNotice({ studio: { record, keepSample } }: { studio: StudioState }) {
  const { error, data: sample, reset } = keepSample;
  if (error !== null) return <Failure error={error} />;
  if (sample === undefined || record === undefined) return null;
  return (
    <div className="notice good" role="status">
      <span className="grow">
        Kept as a sample with {plural(Object.keys(sample.expected ?? {}).length, 'pinned value')}, as the
        saved version reads them.{' '}
        <Link to="/parsers/$parserId/samples" params={{ parserId: record.id }} search={{ sample: sample.id }}>
          Look at it
        </Link>
      </span>
      <Button variant="subtle" onClick={reset}>
        Close
      </Button>
    </div>
  );
}
