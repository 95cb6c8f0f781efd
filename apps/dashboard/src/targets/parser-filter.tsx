import { useQuery, keepPreviousData } from '@tanstack/react-query';
import { operationQuery } from '../api/call.ts';
import { useNamed } from '../api/names.ts';
import { choicesFrom } from '../parts/choices.ts';
import { FilterSelect } from '../parts/filter-select.tsx';
import { useSearched } from '../parts/use-searched.ts';

interface ParserFilterProps {
  value: string | undefined;
  onChange: (parserId: string | undefined) => void;
}

/** Filters a list by a parser, which is found by its name. */
export function ParserFilter({ value, onChange }: ParserFilterProps) {
  const chosen = useNamed(value);
  const { query, field } = useSearched(chosen?.name ?? undefined);
  const { data } = useQuery({
    ...operationQuery('listParsers', { query }),
    placeholderData: keepPreviousData,
  });
  return (
    <FilterSelect
      label="Parser"
      w={190}
      data={choicesFrom(data?.parsers, chosen)}
      value={value}
      onChange={onChange}
      field={field}
    />
  );
}
