import { Link } from '@tanstack/react-router';
import { IconHistory } from '../parts/icons.ts';

/** Links from a parser to its versions, samples and health. */
export function RecordLinks({ parserId, version }: { parserId: string; version: number }) {
  return (
    <>
      <Link to="/parsers/$parserId/versions" params={{ parserId }} className="row small">
        <IconHistory size={14} /> v{version}
      </Link>
      <Link to="/parsers/$parserId/samples" params={{ parserId }} className="small">
        Samples
      </Link>
      <Link to="/parsers/$parserId/health" params={{ parserId }} className="small">
        Health
      </Link>
    </>
  );
}
