import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useNamed, type Named } from '../api/names.ts';
import { shortUrl } from '../format/format.ts';
import { Id } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { runPlace } from './run-place.ts';
import type { BatchTab } from './search.ts';

interface RunLinkProps {
  id: string;
  tab?: BatchTab;
  className?: string;
  title?: string;
  children: ReactNode;
}

/** Leads to the page of a run; only its text where the run has no page. */
export function RunLink({ id, tab, children, ...link }: RunLinkProps) {
  const place = runPlace(id, tab);
  if (place === undefined) return <>{children}</>;
  return (
    <Link {...place} {...link}>
      {children}
    </Link>
  );
}

/** What a run is called: of a job its page, of a batch without a name when it began. */
function RunName({ named }: { named: Named }) {
  const { id, name, created_at: at } = named;
  if (name !== null) return <>{id.startsWith('job_') ? shortUrl(name) : name}</>;
  return (
    <>
      Batch of <When at={at} isName />
    </>
  );
}

/**
 * A run by its name, which leads to its page; its short identifier when nothing has it.
 * @param id of a stage it has the stage too: `run_…/details`
 */
export function NamedRun({ id }: { id: string }) {
  const [root = '', stage] = id.split('/');
  const named = useNamed(root);
  return (
    <RunLink id={root}>
      {named ? (
        <span title={id}>
          <RunName named={named} />
          {stage !== undefined && ` / ${stage}`}
        </span>
      ) : (
        <Id id={id} />
      )}
    </RunLink>
  );
}
