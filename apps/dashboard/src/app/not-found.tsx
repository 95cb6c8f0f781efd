import { Link } from '@tanstack/react-router';
import { Empty } from '../parts/states.tsx';

export function NotFound() {
  return (
    <Empty title="There is no page at this address">
      <p>
        The link may be mistyped. <Link to="/parsers">Go to the parsers</Link>
      </p>
    </Empty>
  );
}
