import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface StudioLinkProps {
  parserId: string;
  /** The address of the page, which the studio fetches; or the identifier of a kept page. */
  page: { open: string } | { kept: string };
  title?: string;
  children: ReactNode;
}

/** Opens a page in the studio with its parser. It says so when that fetches the page once more. */
export function StudioLink({ parserId, page, title, children }: StudioLinkProps) {
  return (
    <span>
      <Link to="/parsers/$parserId" params={{ parserId }} search={page} title={title}>
        {children}
      </Link>
      {'open' in page && <span className="soft small"> (fetches it again)</span>}
    </span>
  );
}
