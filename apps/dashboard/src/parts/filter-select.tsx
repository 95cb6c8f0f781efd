import { Select, type SelectProps } from '@mantine/core';

interface FilterSelectProps<Value extends string> extends Pick<SelectProps, 'searchable' | 'w'> {
  /** What it filters by: `State`. */
  label: string;
  data: { value: Value; label: string }[];
  value: Value | undefined;
  onChange: (value: Value | undefined) => void;
}

/** One filter of a list; without a choice it lets everything through. */
export function FilterSelect<Value extends string>(props: FilterSelectProps<Value>) {
  const { label, value, onChange, ...select } = props;
  return (
    <Select
      aria-label={label}
      placeholder={`Any ${label.toLowerCase()}`}
      clearable
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      {...select}
    />
  );
}
