import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Empty } from '../parts/states.tsx';
import styles from '../pages/sign-in.module.css';

export function NotFound() {
  return (
    <main className={styles.lost}>
      <Empty title="There is no page at this address">
        <p>The link may be mistyped, or its page was deleted.</p>
        <Button component={Link} to="/parsers">
          Go to the parsers
        </Button>
      </Empty>
    </main>
  );
}
