import { Link } from '@tanstack/react-router';
import type { CallOutput } from '../api/call.ts';
import { plural } from '../format/number.ts';
import { capitalised } from '../format/shorten.ts';
import { StudioLink } from '../parts/studio-link.tsx';
import { adviceFor } from './causes.ts';
import { RunLink } from './run-link.tsx';

type Cause = NonNullable<CallOutput<'getBatchFailures'>['causes']>[number];

const EXTRACTION_FAILED = 'extraction failed';

interface CauseNoticeProps {
  batchId: string;
  cause: Cause;
  /** The parser that read the pages, which the studio can open. */
  parserId: string | undefined;
}

/** One cause of failures: how many pages it has, an example, and what to do. */
export function CauseNotice({ batchId, cause: { error, count, example }, parserId }: CauseNoticeProps) {
  return (
    <section className="notice bad">
      <div className="stack tight">
        <strong>
          {capitalised(error)} · {plural(count, 'page')}
        </strong>
        <span>{adviceFor(error, example.detail)}</span>
        <span className="small soft anywhere">
          For example {example.url}
          {example.detail !== undefined && `: ${example.detail}`}
        </span>
        {parserId !== undefined && error === EXTRACTION_FAILED && (
          <span className="row wrap">
            <RunLink id={batchId} tab="pages">
              Open a kept page in the studio
            </RunLink>
            <Link to="/parsers/$parserId/health" params={{ parserId }}>
              Health of the parser
            </Link>
          </span>
        )}
        {parserId !== undefined && error !== EXTRACTION_FAILED && (
          <StudioLink parserId={parserId} page={{ open: example.url }}>
            Open the example in the studio
          </StudioLink>
        )}
      </div>
    </section>
  );
}
