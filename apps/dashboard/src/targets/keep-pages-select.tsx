import { Choice } from '../parts/forms.tsx';

const WORDS: Readonly<Record<string, string>> = {
  failed: 'those on which it fails',
  'sample:20': 'these, and every 20th',
  all: 'all of them',
  none: 'none',
};

interface KeepPagesSelectProps {
  /** Default: those on which the parser fails. */
  value?: string;
  onChange: (value: string) => void;
}

/** Which pages a run keeps for 7 days. A setting that the list doesn't have stays as it is. */
export function KeepPagesSelect({ value = 'failed', onChange }: KeepPagesSelectProps) {
  return (
    <Choice
      label="Keep pages for 7 days"
      words={{ ...WORDS, [value]: WORDS[value] ?? value }}
      value={value}
      onChange={onChange}
      w={220}
    />
  );
}
