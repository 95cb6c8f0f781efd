import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Empty } from '../parts/states.tsx';

export function NotFound() {
  return (
    <main className="not-found">
      <Empty title="There is no page at this address">
        <p>The link may be mistyped, or what it led to was deleted.</p>
        <Button component={Link} to="/parsers">
          Go to the parsers
        </Button>
      </Empty>
    </main>
  );
}
