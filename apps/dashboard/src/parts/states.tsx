import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toProblem } from '../api/problem.ts';
import { capitalised } from '../format/capitalised.ts';
import { IconAlertTriangle } from './icons.ts';

/** An empty page: describes its future content, and the first step. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Placeholder lines while data loads, with a text for screen readers. */
export function Loading({ what, lines = 6 }: { what: string; lines?: number }) {
  return (
    <div className="loading-lines" role="status">
      <span className="visually-hidden">Reading {what} …</span>
      {Array.from({ length: lines }, (_, index) => (
        <i key={index} />
      ))}
    </div>
  );
}

interface FailureProps {
  /** Nothing is shown for null, so that the error of a query or mutation can be given as it is. */
  error: unknown;
  onRetry?: () => void;
  /** The failure takes the place of a whole page. */
  isWhole?: boolean;
}

/** An error and its remedy, next to the failed part. */
export function Failure({ error, onRetry, isWhole = false }: FailureProps) {
  if (error === null || error === undefined) return null;
  const { body, requestId, status } = toProblem(error);
  const notice = (
    <div className="notice bad" role="alert">
      <IconAlertTriangle size={16} color="var(--red)" aria-hidden className="notice-icon" />
      <div className="stack tight">
        <div>
          <strong>{capitalised(body.error)}</strong>
          {body.field !== undefined && <code> {body.field}</code>}
        </div>
        {body.detail !== undefined && <div className="anywhere">{body.detail}</div>}
        {body.required !== undefined && (
          <div>
            {body.required} credits are needed, {body.available} are available.
          </div>
        )}
        {body.hint !== undefined && <div className="soft">{body.hint}</div>}
        {status >= 500 && requestId !== undefined && (
          <div className="soft small">
            Request <code>{requestId}</code> in the log
          </div>
        )}
        {onRetry && status !== 404 && (
          <div>
            <Button variant="default" onClick={onRetry}>
              Try again
            </Button>
          </div>
        )}
      </div>
    </div>
  );
  return isWhole ? <div className="state">{notice}</div> : notice;
}

interface LoadedProps<T> {
  query: UseQueryResult<T>;
  /** For the loading text: `the batch`. */
  what: string;
  children: (data: T) => ReactNode;
}

/** The three states of something that is read: loading, failed, there. */
export function Loaded<T>({ query, what, children }: LoadedProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error !== null)
    return <Failure error={query.error} onRetry={() => void query.refetch()} isWhole />;
  return <Loading what={what} />;
}
