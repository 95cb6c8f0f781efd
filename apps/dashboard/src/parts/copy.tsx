import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import styles from './copy.module.css';
import { IconCheck, IconCopy } from './icons.ts';

/** Copies a text and confirms it on the button. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <Button
      variant="default"
      leftSection={clipboard.copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      onClick={() => clipboard.copy(text)}
    >
      {clipboard.copied ? 'Copied' : label}
    </Button>
  );
}

/** A whole identifier, which copies itself. */
export function CopyId({ id }: { id: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <button
      type="button"
      className={styles.id}
      title={`${id}: copy`}
      aria-label={`Copy ${id}`}
      onClick={() => clipboard.copy(id)}
    >
      <code>{id}</code>
      {clipboard.copied ? <IconCheck size={13} /> : <IconCopy size={13} />}
    </button>
  );
}

/** Text to take along: code, a key, an address. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="stack tight">
      {/* Long lines scroll, so the keyboard must reach them. */}
      <div className={styles.block} tabIndex={0} role="region" aria-label={label}>
        <pre className="pre">{text}</pre>
      </div>
      <div>
        <CopyButton text={text} />
      </div>
    </div>
  );
}
