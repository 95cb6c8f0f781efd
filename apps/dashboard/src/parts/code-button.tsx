import { Modal, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { CodeBlock } from './copy.tsx';
import { IconCode } from './icons.ts';
import { OpenButton } from './buttons.tsx';

/** Code by the name of its language or tool. */
export type Snippets = Readonly<Record<string, string>>;

interface CodeProps {
  title: string;
  snippets: Snippets;
}

function CodeDialog({ onClose, title, snippets }: CodeProps & { onClose: () => void }) {
  const labels = Object.keys(snippets);
  const [label, setLabel] = useState(labels[0] ?? '');
  return (
    <Modal opened onClose={onClose} title={title} size="xl">
      <div className="stack">
        <SegmentedControl data={labels} value={label} onChange={setLabel} className="start" />
        <CodeBlock text={snippets[label] ?? ''} label={label} />
        <p className="small soft">GLEANER_API_KEY holds an API key. Create one on the page Keys.</p>
      </div>
    </Modal>
  );
}

/** A button for the page's action as code to copy. */
export function CodeButton({ disabled = false, ...code }: CodeProps & { disabled?: boolean }) {
  return (
    <OpenButton
      icon={IconCode}
      disabled={disabled}
      dialog={(close) => <CodeDialog {...code} onClose={close} />}
    >
      Get code
    </OpenButton>
  );
}
