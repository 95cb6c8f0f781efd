import { Button } from '@mantine/core';

interface MoreButtonProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  /** Default: More. */
  label?: string;
}

/** Reads the next page of a list; nothing when there is none. */
export function MoreButton({ query, label = 'More' }: MoreButtonProps) {
  if (!query.hasNextPage) return null;
  return (
    <div>
      <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {label}
      </Button>
    </div>
  );
}
