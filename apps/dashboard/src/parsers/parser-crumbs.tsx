import { Link } from '@tanstack/react-router';

/** The way back from a page of one parser. */
export function ParserCrumbs({ parserId, name }: { parserId: string; name: string | undefined }) {
  return (
    <>
      <Link to="/parsers">Parsers</Link>
      <span aria-hidden>/</span>
      <Link to="/parsers/$parserId" params={{ parserId }}>
        {name ?? 'Parser'}
      </Link>
    </>
  );
}
