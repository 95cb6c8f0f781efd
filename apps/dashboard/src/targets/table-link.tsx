import { Link } from '@tanstack/react-router';

/** A link to the table that a sink writes to. */
export function TableLink({ sink }: { sink: Record<string, unknown> | null }) {
  const { database, table } = sink ?? {};
  if (typeof database !== 'string' || typeof table !== 'string')
    return <Link to="/databases">rows of a database</Link>;
  return (
    <>
      rows of{' '}
      <Link to="/databases/$databaseId/$table" params={{ databaseId: database, table }}>
        {table}
      </Link>
    </>
  );
}
