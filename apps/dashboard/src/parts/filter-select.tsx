import { Select } from '@mantine/core';

interface FilterSelectProps<Value extends string> {
  /** What it filters by: `State`. */
  label: string;
  data: readonly { value: Value; label: string }[];
  value: Value | undefined;
  onChange: (value: Value | undefined) => void;
  width: number;
  searchable?: boolean;
}

/** One filter of a list; without a choice it lets everything through. */
export function FilterSelect<Value extends string>(props: FilterSelectProps<Value>) {
  const { label, data, value, onChange, width, searchable = false } = props;
  return (
    <Select
      aria-label={label}
      placeholder={`Any ${label.toLowerCase()}`}
      clearable
      searchable={searchable}
      w={width}
      data={[...data]}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  );
}

/** The choices of a table of words. */
export function choicesOf<Value extends string>(
  words: Readonly<Record<Value, string>>,
): { value: Value; label: string }[] {
  return (Object.keys(words) as Value[]).map((value) => ({ value, label: words[value] }));
}
