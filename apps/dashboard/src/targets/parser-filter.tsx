import { useQuery, keepPreviousData } from '@tanstack/react-query';
import { operationQuery } from '../api/call.ts';
import { useNamed } from '../api/names.ts';
import { choicesFrom } from '../parts/choices.ts';
import { FilterSelect } from '../parts/filter-select.tsx';
import { choicesFault, useSearched } from '../parts/use-searched.ts';

interface ParserFilterProps {
  /** Default: Parser. */
  label?: string;
  /** Without a choice. Default: Any parser. */
  placeholder?: string;
  w?: number;
  value: string | undefined;
  onChange: (parserId: string | undefined) => void;
}

/** Filters a list by a parser, or chooses one, which is found by its name. */
export function ParserFilter({ label = 'Parser', value, ...select }: ParserFilterProps) {
  const chosen = useNamed(value);
  const { query, field } = useSearched(chosen?.name ?? undefined);
  const { data, error } = useQuery({
    ...operationQuery('listParsers', { query }),
    placeholderData: keepPreviousData,
  });
  return (
    <FilterSelect
      label={label}
      w={190}
      data={choicesFrom(data?.parsers, chosen)}
      value={value}
      field={field}
      {...select}
      {...choicesFault(error)}
    />
  );
}
