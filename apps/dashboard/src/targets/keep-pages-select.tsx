import { Select } from '@mantine/core';

/** Every n-th page of a sample. */
const SAMPLE = 'sample:20';

const CHOICES = [
  { value: 'failed', label: 'those on which it fails' },
  { value: SAMPLE, label: 'these, and every 20th' },
  { value: 'all', label: 'all of them' },
  { value: 'none', label: 'none' },
];

interface KeepPagesSelectProps {
  /** Default: those on which the parser fails. */
  value?: string;
  onChange: (value: string) => void;
}

/** Which pages a run keeps for 7 days. A setting that the list doesn't have stays as it is. */
export function KeepPagesSelect({ value = 'failed', onChange }: KeepPagesSelectProps) {
  const isKnown = CHOICES.some((choice) => choice.value === value);
  return (
    <Select
      label="Keep pages for 7 days"
      data={isKnown ? CHOICES : [...CHOICES, { value, label: value }]}
      value={value}
      allowDeselect={false}
      onChange={(chosen) => onChange(chosen ?? 'failed')}
      w={220}
    />
  );
}
