import { useQuery } from '@tanstack/react-query';
import { call, operationQuery, type CallOutput } from '../api/call.ts';
import { formatNumber } from '../format/format.ts';
import { ConfirmButton } from '../parts/buttons.tsx';
import { IconCircleX } from '../parts/icons.ts';
import { Loaded } from '../parts/page.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';

type Run = CallOutput<'listAccountRuns'>['runs'][number];

function columnsOf(account: string): readonly PlainColumn<Run>[] {
  return [
    { header: 'Run', cell: ({ id, name }) => name ?? <code>{id}</code>, title: ({ id }) => id },
    { header: 'Slots', align: 'right', cell: ({ slots }) => formatNumber(slots) },
    {
      header: 'Pages',
      align: 'right',
      cell: ({ ended, total }) => `${formatNumber(ended)} of ${formatNumber(total)}`,
    },
    {
      header: 'Cancel',
      isHeaderHidden: true,
      cell: ({ id, name }) => (
        <ConfirmButton
          icon={IconCircleX}
          label="Cancel"
          title={`Cancel ${name ?? id}`}
          action="Cancel run"
          run={() => call('cancelAccountRun', { params: { id: account, run_id: id } })}
          stale={['listAccountRuns']}
        >
          Its remaining pages are not fetched, and their credits are free again. What it has read stays.
        </ConfirmButton>
      ),
    },
  ];
}

/** What of an account has not ended, and what holds its slots. */
export function AccountRuns({ account }: { account: string }) {
  const query = useQuery({
    ...operationQuery('listAccountRuns', { params: { id: account } }),
    refetchInterval: 3_000,
  });
  return (
    <Loaded query={query} what="its runs">
      {({ runs, concurrency, interactive_slots: interactive }) => (
        <div className="stack">
          <p className="soft">
            {formatNumber(runs.reduce((sum, { slots }) => sum + slots, interactive))} of{' '}
            {formatNumber(concurrency)} slots are in use, {formatNumber(interactive)} of them by interactive
            requests; {formatNumber(runs.length)} live runs.
          </p>
          {runs.length > 0 && (
            <PlainTable label="Live runs" columns={columnsOf(account)} rows={runs} rowKey={({ id }) => id} />
          )}
        </div>
      )}
    </Loaded>
  );
}
