import { Fragment, useEffect, type ReactNode } from 'react';

export interface PageProps {
  title: string;
  /** On hover over the title, for example the exact time that it names; without it the title, which may be cut off. */
  hint?: string | undefined;
  /** Shown before the title: links to the parent pages. */
  crumbs?: readonly ReactNode[];
  /** Beside the title: a status, a count. */
  aside?: ReactNode;
  actions?: ReactNode;
  /** A line of filters under the head. */
  filters?: ReactNode;
  /** Text and forms get a margin; tables reach the edges. */
  padded?: boolean;
  children: ReactNode;
}

/** The skeleton of every page: head with actions, filters, body. */
export function Page({ title, hint, crumbs, aside, actions, filters, padded = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Gleaner`;
  }, [title]);
  return (
    <>
      <header className="page-head">
        {crumbs !== undefined && (
          <nav aria-label="Breadcrumb" className="crumb row">
            {crumbs.map((crumb, place) => (
              <Fragment key={place}>
                {crumb}
                <span aria-hidden>/</span>
              </Fragment>
            ))}
          </nav>
        )}
        <h1 title={hint ?? title}>{title}</h1>
        {aside}
        <div className="grow" />
        {actions !== undefined && <div className="row wrap">{actions}</div>}
      </header>
      {filters !== undefined && <Filters>{filters}</Filters>}
      <div className={padded ? 'page-body padded' : 'page-body'}>{children}</div>
    </>
  );
}

/** A line of filters. `/` leads to the first of them. */
export function Filters({ children }: { children: ReactNode }) {
  return (
    <div className="filters" data-filters>
      {children}
    </div>
  );
}
