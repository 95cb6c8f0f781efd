const MOST_SHOWN = 80;

interface FoldedTextProps {
  text: string;
  className?: string | undefined;
  /** From so many characters on it is folded. */
  from: number;
}

/** A text as it is; a long one is folded under its beginning, so that what stands below it is near. */
export function FoldedText({ text, className, from }: FoldedTextProps) {
  const words = <span className={className}>{text}</span>;
  if (text.length < from) return words;
  return (
    <details>
      <summary>{text.trim().slice(0, MOST_SHOWN)}…</summary>
      {words}
    </details>
  );
}
