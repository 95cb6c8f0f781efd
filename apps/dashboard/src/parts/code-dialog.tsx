import { Modal, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { CodeBlock } from './copy.tsx';

export interface Snippet {
  label: string;
  text: string;
}

interface CodeDialogProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  snippets: readonly Snippet[];
}

/** The page's action as code to copy. */
export function CodeDialog({ opened, onClose, title, snippets }: CodeDialogProps) {
  const [label, setLabel] = useState(snippets[0]?.label ?? '');
  const shown = snippets.find((snippet) => snippet.label === label) ?? snippets[0];
  return (
    <Modal opened={opened} onClose={onClose} title={title} size="xl">
      <div className="stack">
        <SegmentedControl
          data={snippets.map((snippet) => snippet.label)}
          value={shown?.label ?? ''}
          onChange={setLabel}
          className="start"
        />
        {shown && <CodeBlock text={shown.text} label={shown.label} />}
        <p className="small soft">GLEANER_KEY stands for an API key; make one under Keys.</p>
      </div>
    </Modal>
  );
}
