import type { ReactNode } from 'react';

/** What somebody should know about what is shown. */
export function Notice({ children }: { children: ReactNode }) {
  return (
    <div className="notice" role="status">
      <span>{children}</span>
    </div>
  );
}
