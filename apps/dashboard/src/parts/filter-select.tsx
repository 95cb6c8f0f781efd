import { Select, type SelectProps } from '@mantine/core';
import type { SearchedField } from './use-searched.ts';

interface FilterSelectProps<Value extends string> extends Pick<SelectProps, 'w' | 'placeholder' | 'error'> {
  /** What it filters by: `State`. */
  label: string;
  data: { value: Value; label: string }[];
  value: Value | undefined;
  onChange: (value: Value | undefined) => void;
  /** The field of a filter whose choices the service finds. */
  field?: SearchedField;
}

/** One filter of a list; without a choice it lets everything through. */
export function FilterSelect<Value extends string>(props: FilterSelectProps<Value>) {
  const { label, value, onChange, field, ...select } = props;
  return (
    <Select
      aria-label={label}
      placeholder={`Any ${label.toLowerCase()}`}
      clearable
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      {...select}
      {...field}
    />
  );
}
