import type { Publication } from '@gleaner/contracts/values';
import { Fragment } from 'react';
import { call, useChange, type CallOutput } from '../api/call.ts';
import { formatNumber, plural } from '../format/format.ts';
import { ActionButton, ConfirmButton } from '../parts/buttons.tsx';
import { IconRefresh, IconTrash } from '../parts/icons.ts';
import { Failure } from '../parts/page.tsx';
import { TableLink } from '../targets/table-link.tsx';

const STALE = ['getBatch', 'getWorkflowRun', 'getCrawl', 'listCronRuns', 'getChanges', 'listRows'];

const DECIDED = {
  publishing: 'The rows that its pages give no more are being removed.',
  published: 'The rows that its pages give no more were removed, as somebody decided.',
  discarded: 'The rows that its pages give no more have stayed.',
} satisfies Record<Exclude<Publication, 'none' | 'held'>, string>;

type Run = Pick<CallOutput<'getBatch'>, 'id' | 'publication' | 'held_removals'>;

/** Removals of a run that were too many to be made unasked, with the decision. */
export function HeldRemovals({ run: { id, publication, held_removals: held } }: { run: Run }) {
  const params = { id };
  const discard = useChange(() => call('discardRun', { params }), { stale: STALE });
  if (publication === 'none') return null;
  if (publication !== 'held') return <div className="notice">{DECIDED[publication]}</div>;
  const rows = held.reduce((sum, table) => sum + table.rows, 0);
  return (
    <section className="notice bad" aria-label="Removals that wait">
      <div className="stack tight">
        <span>
          <strong>{plural(rows, 'row is', 'rows are')} missing on the pages of this run:</strong>{' '}
          {held.map(({ database, table, rows: missing, of }, index) => (
            <Fragment key={`${database} ${table}`}>
              {index > 0 && ', '}
              {formatNumber(missing)} of {formatNumber(of)} in{' '}
              <TableLink sink={{ mode: 'database', database, table }} />
            </Fragment>
          ))}
          . If the site has removed them, remove them here too. If the parser reads its pages no more, keep
          them.
        </span>
        <span className="row wrap">
          <ConfirmButton
            icon={IconTrash}
            label={`Remove ${formatNumber(rows)}`}
            title={`Remove ${plural(rows, 'row')}`}
            action="Remove rows"
            run={() => call('publishRun', { params })}
            stale={STALE}
          >
            The tables mark or delete these rows. Those that were fetched since then stay.
          </ConfirmButton>
          <ActionButton icon={IconRefresh} loading={discard.isPending} onClick={() => discard.mutate()}>
            Keep the rows
          </ActionButton>
        </span>
        <Failure error={discard.error} />
      </div>
    </section>
  );
}
