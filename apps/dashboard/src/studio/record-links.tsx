import { Link } from '@tanstack/react-router';
import { IconHistory } from '../parts/icons.ts';

/** From a parser to what is known of it: its versions and its health. */
export function RecordLinks({ parserId, version }: { parserId: string; version: number }) {
  return (
    <>
      <Link to="/parsers/$parserId/versions" params={{ parserId }} className="row small">
        <IconHistory size={14} /> v{version}
      </Link>
      <Link to="/parsers/$parserId/health" params={{ parserId }} className="small">
        Health
      </Link>
    </>
  );
}
