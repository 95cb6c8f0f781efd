import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Loading } from '../parts/states.tsx';
import { Status, When } from '../parts/values.tsx';
import { CAUSE_WORDS, OUTCOMES, reasonOf, type Firing } from './words.ts';

const FIRST = 20;

interface FiringTableProps {
  firings: readonly Firing[];
  isReading: boolean;
  /** Reads further ones; undefined when there are none. */
  more: (() => void) | undefined;
}

function RunLink({ runId }: { runId: string | null }) {
  if (runId === null) return null;
  if (!runId.startsWith('bat_'))
    return (
      <Link to="/workflow-runs/$runId" params={{ runId }}>
        Open the run
      </Link>
    );
  return (
    <Link to="/runs/batches/$batchId" params={{ batchId: runId }}>
      Open the run
    </Link>
  );
}

/** Firings, newest first, each with its run or the reason why it has none. */
export function FiringTable({ firings, isReading, more }: FiringTableProps) {
  const [shown, setShown] = useState(FIRST);
  if (isReading) return <Loading what="the firings" />;
  if (firings.length === 0) return <p className="soft">Nothing has fired yet.</p>;
  const hasMore = firings.length > shown;
  return (
    <>
      <div className="scroll-x" tabIndex={0} role="region" aria-label="Firings">
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">Due</th>
              <th scope="col">Outcome</th>
              <th scope="col">Fired</th>
              <th scope="col">Run</th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {firings.slice(0, shown).map((firing) => (
              <tr key={firing.id}>
                <td>
                  <When at={firing.scheduled_at} />
                </td>
                <td>
                  <Status {...OUTCOMES[firing.outcome]} />
                </td>
                <td className="soft">{CAUSE_WORDS[firing.cause]}</td>
                <td>
                  <RunLink runId={firing.run_id} />
                </td>
                <td className="soft" title={reasonOf(firing)}>
                  {reasonOf(firing)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(hasMore || more) && (
        <div>
          <Button
            variant="default"
            onClick={() => {
              if (hasMore) setShown(shown + 100);
              else more?.();
            }}
          >
            Earlier ones
          </Button>
        </div>
      )}
    </>
  );
}
