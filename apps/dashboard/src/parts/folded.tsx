import { useState, type ReactNode } from 'react';

interface FoldedProps {
  title: string;
  /** What the folded part holds now, in a few words. */
  note?: string;
  /** The service refused something in it, so it stays open. */
  isFaulty?: boolean;
  children: ReactNode;
}

/** A part of a form that most people leave as it is. */
export function Folded({ title, note = '', isFaulty = false, children }: FoldedProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details open={isOpen || isFaulty} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title} {note !== '' && <span className="soft small">{note}</span>}
      </summary>
      <div className="stack folded">{children}</div>
    </details>
  );
}
