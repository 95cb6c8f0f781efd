import { useSearch } from '@tanstack/react-router';
import { ChangesPage } from './changes-page.tsx';
import { RowsPage } from './rows-page.tsx';

/** A table: its rows, or what changed in it. */
export function TablePage() {
  const { tab } = useSearch({ from: '/app/databases/$databaseId/$table' });
  return tab === 'changes' ? <ChangesPage /> : <RowsPage />;
}
