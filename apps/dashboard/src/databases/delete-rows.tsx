import { useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { plural } from '../format/format.ts';
import { Confirm, OpenButton } from '../parts/buttons.tsx';
import { IconTrash } from '../parts/icons.ts';
import { Loaded } from '../parts/page.tsx';

interface DeleteRowsProps {
  params: { id: string; table: string };
  filter: string;
}

function DeleteRowsDialog({ params, filter, onClose }: DeleteRowsProps & { onClose: () => void }) {
  const found = useQuery({
    queryKey: ['deleteRows', params, filter],
    queryFn: () => call('deleteRows', { params, query: { filter, dry_run: true } }),
    gcTime: 0,
  });
  return (
    <Loaded query={found} what="the number of rows">
      {({ count }) => (
        <Confirm
          onClose={onClose}
          title={`Delete ${plural(count, 'row')}`}
          action={`Delete ${plural(count, 'row')}`}
          typed={String(count)}
          run={() => call('deleteRows', { params, query: { filter, count } })}
          stale={['listRows', 'getDatabase']}
        >
          The rows of {params.table} that this filter finds are deleted permanently. If others match by then,
          nothing is deleted.
        </Confirm>
      )}
    </Loaded>
  );
}

/** Deletes the rows that a filter finds, once their number was typed. */
export function DeleteRows(props: DeleteRowsProps) {
  return (
    <OpenButton icon={IconTrash} isSmall dialog={(close) => <DeleteRowsDialog {...props} onClose={close} />}>
      Delete these rows
    </OpenButton>
  );
}
