import { Link } from '@tanstack/react-router';

/** The table that a sink writes to; undefined without one. */
function tableOf(sink: Record<string, unknown> | null): { databaseId: string; table: string } | undefined {
  const { database, table } = sink ?? {};
  return typeof database === 'string' && typeof table === 'string'
    ? { databaseId: database, table }
    : undefined;
}

/** A link to the table of a sink. */
export function TableLink({ sink }: { sink: Record<string, unknown> | null }) {
  const params = tableOf(sink);
  if (params === undefined) return <Link to="/databases">rows of a database</Link>;
  return (
    <>
      rows of{' '}
      <Link to="/databases/$databaseId/$table" params={params}>
        {params.table}
      </Link>
    </>
  );
}
