import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { plural } from '../format/format.ts';
import { Failure } from '../parts/page.tsx';
import type { useKeepSample } from './use-keep-sample.ts';

interface SampleNoticeProps {
  parserId: string | undefined;
  keeping: ReturnType<typeof useKeepSample>;
}

/** The outcome of keeping a page as a sample. */
export function SampleNotice({ parserId, keeping }: SampleNoticeProps) {
  if (keeping.error !== null) return <Failure error={keeping.error} />;
  if (keeping.data === undefined || parserId === undefined) return null;
  const pinned = Object.keys(keeping.data.expected ?? {}).length;
  return (
    <div className="notice good" role="status">
      <span className="grow">
        Kept as a sample with {plural(pinned, 'pinned value')}, as the saved version reads them.{' '}
        <Link to="/parsers/$parserId/samples" params={{ parserId }} search={{ sample: keeping.data.id }}>
          Look at it
        </Link>
      </span>
      <Button variant="subtle" onClick={keeping.reset}>
        Close
      </Button>
    </div>
  );
}
