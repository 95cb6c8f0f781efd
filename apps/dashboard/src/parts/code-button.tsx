import { Modal, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { CodeBlock } from './copy.tsx';
import { IconCode } from './icons.ts';
import { OpenButton } from './buttons.tsx';

export interface Snippet {
  label: string;
  text: string;
}

interface CodeProps {
  title: string;
  snippets: readonly Snippet[];
}

function CodeDialog({ onClose, title, snippets }: CodeProps & { onClose: () => void }) {
  const [label, setLabel] = useState(snippets[0]?.label ?? '');
  const shown = snippets.find((snippet) => snippet.label === label) ?? snippets[0];
  return (
    <Modal opened onClose={onClose} title={title} size="xl">
      <div className="stack">
        <SegmentedControl
          data={snippets.map((snippet) => snippet.label)}
          value={shown?.label ?? ''}
          onChange={setLabel}
          className="start"
        />
        {shown && <CodeBlock text={shown.text} label={shown.label} />}
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
