import { Link } from '@tanstack/react-router';
import type { CallOutput } from '../api/call.ts';
import { plural } from '../format/number.ts';
import { capitalised } from '../format/shorten.ts';
import { adviceFor } from './causes.ts';

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
            <Link to="/runs/batches/$batchId" params={{ batchId }} search={{ tab: 'pages' }} replace>
              Open a kept page in the studio
            </Link>
            <Link to="/parsers/$parserId/health" params={{ parserId }}>
              Health of the parser
            </Link>
          </span>
        )}
        {parserId !== undefined && error !== EXTRACTION_FAILED && (
          <span className="row wrap">
            <Link to="/parsers/$parserId" params={{ parserId }} search={{ open: example.url }}>
              Open the example in the studio
            </Link>
            <span className="soft small">(fetches it once more)</span>
          </span>
        )}
      </div>
    </section>
  );
}
