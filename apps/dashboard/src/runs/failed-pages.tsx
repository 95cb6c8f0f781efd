import { Fragment, useState } from 'react';
import type { CallOutput } from '../api/call.ts';
import { plural } from '../format/number.ts';
import { shortUrl } from '../format/shorten.ts';
import { phaseSpans } from './task-phases.ts';
import { Timeline } from './timeline.tsx';

type FailedPage = CallOutput<'getBatchFailures'>['failures'][number];

/** How the last attempt at a page went. */
function FailedCourse({ failure }: { failure: FailedPage }) {
  const { attempts, detail, phases, url } = failure;
  const spans = phaseSpans(phases);
  return (
    <div className="stack opened">
      <a href={url} target="_blank" rel="noreferrer" className="anywhere">
        {url}
      </a>
      {detail !== undefined && <span className="anywhere">{detail}</span>}
      <span className="soft small">
        {plural(attempts, 'attempt')} · 0 credits
        {spans.length > 0 && attempts > 1 && ' · the bars show the last attempt'}
        {spans.length === 0 && ' · how long its phases took was not measured'}
      </span>
      {spans.length > 0 && <Timeline spans={spans} />}
    </div>
  );
}

/** Failed pages one by one; each opens to its whole detail and its timeline. */
export function FailedPages({ failures }: { failures: readonly FailedPage[] }) {
  const [open, setOpen] = useState<number | undefined>();
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Failed pages">
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">Page</th>
            <th scope="col">Error</th>
            <th scope="col">Detail</th>
            <th scope="col" className="num">
              Attempts
            </th>
          </tr>
        </thead>
        <tbody>
          {failures.map((failure, index) => (
            // The same page may fail twice.
            <Fragment key={index}>
              <tr>
                <td title={failure.url}>
                  <button
                    type="button"
                    className="link"
                    aria-expanded={open === index}
                    onClick={() => setOpen(open === index ? undefined : index)}
                  >
                    {shortUrl(failure.url)}
                  </button>
                </td>
                <td>{failure.error}</td>
                <td className="soft" title={failure.detail}>
                  {failure.detail}
                </td>
                <td className="num">{failure.attempts}</td>
              </tr>
              {open === index && (
                <tr>
                  <td colSpan={4}>
                    <FailedCourse failure={failure} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}
