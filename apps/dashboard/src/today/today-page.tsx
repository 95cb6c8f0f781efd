import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, linkOptions } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { operationQuery } from '../api/call.ts';
import { AddButton } from '../parts/listed.tsx';
import { Loading, Page } from '../parts/page.tsx';
import { CollectionsTable, useCollections } from './collections-table.tsx';
import { NeedsYou } from './needs-you.tsx';
import { PagesChart } from './pages-chart.tsx';
import { Balance, Upcoming } from './side.tsx';
import styles from './today.module.css';

/** An account without anything begins by looking at a page. */
const FirstPage = lazy(async () => ({
  default: (await import('../playground/playground-page.tsx')).PlaygroundPage,
}));

/** How things stand: what needs a person, what was read, each collection, what runs next, and what it costs. */
export function TodayPage() {
  const collections = useCollections();
  const parsers = useQuery(operationQuery('listParsers', { query: { limit: 1 } }));
  const hasNone = collections.data?.pages[0]?.collections.length === 0;
  if (hasNone && parsers.isPending) return <Loading what="the page" />;
  if (hasNone && parsers.data?.parsers.length === 0)
    return (
      <Suspense fallback={<Loading what="the page" />}>
        <FirstPage />
      </Suspense>
    );
  return (
    <Page
      title="Today"
      padded
      actions={
        <>
          <Button variant="default" component={Link} to="/watch">
            Watch a page
          </Button>
          <AddButton to={linkOptions({ to: '/parsers/new' })}>New parser</AddButton>
        </>
      }
    >
      <div className={styles.today}>
        <NeedsYou />
        <div className="columns">
          <PagesChart />
          <div className="stack loose">
            <Balance />
            <Upcoming />
          </div>
        </div>
        <CollectionsTable query={collections} />
      </div>
    </Page>
  );
}
