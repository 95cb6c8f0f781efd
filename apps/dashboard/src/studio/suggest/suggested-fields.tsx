import { longForm } from '@gleaner/contracts/values';
import { Button, Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Field } from '@gleaner/contracts';
import { cellText, plural } from '../../format/format.ts';
import { IconWand } from '../../parts/icons.ts';
import { useChosen } from '../../parts/use-chosen.ts';
import type { FieldSuggestion, KeptPage, Suggested } from '../extraction/protocol.ts';
import { isList, type Draft } from '../schema/draft.ts';
import { SURE, suggestFields } from './tidy.ts';
import type { StudioState } from '../use-studio-state.ts';
import styles from './suggest.module.css';

function sampleOf(value: unknown, field: Field): string {
  const { fields } = longForm(field);
  if (Array.isArray(value) && fields !== undefined)
    return `${plural(value.length, 'row')} of ${Object.keys(fields).join(', ')}`;
  return cellText(value);
}

/** A confidence in a word; the number is on hover. */
function wordOf({ confidence }: FieldSuggestion): string {
  if (confidence >= 0.9) return 'certain';
  return confidence >= SURE ? 'likely' : 'guess';
}

interface Offered {
  suggestion: FieldSuggestion;
  field: Field;
}

interface OfferedFieldProps extends Offered {
  value: unknown;
  isTaken: boolean;
  onToggle: () => void;
}

function OfferedField({ suggestion, field, value, isTaken, onToggle }: OfferedFieldProps) {
  const { path, confidence, reason } = suggestion;
  const sample = sampleOf(value, field);
  return (
    <li>
      <Checkbox
        checked={isTaken}
        onChange={onToggle}
        label={
          <span>
            <strong>
              {path}
              {isList(longForm(field)) && '[]'}
            </strong>{' '}
            <span className="soft small" title={`${Math.round(confidence * 100)} %: ${reason}`}>
              {wordOf(suggestion)}
            </span>
          </span>
        }
      />
      <div className={`${styles.sample} small truncate`} title={sample}>
        {sample}
      </div>
    </li>
  );
}

interface OfferedFieldsProps {
  suggested: Suggested;
  onTake: (draft: Draft) => void;
}

/** The proposed fields with what they give, to choose from. */
export function OfferedFields({ suggested, onTake }: OfferedFieldsProps) {
  const { schema, fields, data } = suggested;
  // In the order of the schema, which begins with what a person looks for.
  const offered = Object.entries(schema?.fields ?? {}).flatMap(([name, field]): Offered[] => {
    const suggestion = fields.find(({ path }) => path === name);
    return suggestion === undefined ? [] : [{ suggestion, field }];
  });
  /** The fields whose box differs from how it was at first. */
  const turned = useChosen<string>();
  const isTaken = ({ suggestion: { path, confidence } }: Offered): boolean =>
    confidence >= SURE !== turned.all.has(path);
  const taken = offered.filter(isTaken);
  return (
    <>
      <ul className={styles.suggested}>
        {offered.map((one) => (
          <OfferedField
            key={one.suggestion.path}
            {...one}
            value={data?.[one.suggestion.path]}
            isTaken={isTaken(one)}
            onToggle={() => turned.toggle(one.suggestion.path)}
          />
        ))}
      </ul>
      <div>
        <Button
          leftSection={<IconWand size={14} />}
          disabled={taken.length === 0}
          onClick={() =>
            onTake({
              fields: Object.fromEntries(taken.map(({ suggestion, field }) => [suggestion.path, field])),
            })
          }
        >
          Use {plural(taken.length, 'field')}
        </Button>
      </div>
    </>
  );
}

/** What the engine proposes for a page, once. */
export function useSuggested(page: KeptPage) {
  return useQuery({
    queryKey: ['suggested', page.id],
    queryFn: ({ signal }) => suggestFields(page, { signal }),
    staleTime: Infinity,
    retry: false,
  });
}

/** Proposes fields from repeated and named elements of the page: the start of a parser in one click. */
export function SuggestedFields({ studio: { change }, page }: { studio: StudioState; page: KeptPage }) {
  const { data, error, isPending } = useSuggested(page);
  return (
    <div className={`stack ${styles.pane}`}>
      <div>
        <h2>Click in the page</h2>
        <p className="soft small">
          Each click on a value makes a field. Click two similar values to read the whole list.
        </p>
      </div>
      {isPending && (
        <p className="soft small" role="status">
          Looking for repeated elements …
        </p>
      )}
      {error !== null && <p className="soft small">Nothing could be proposed: {error.message}</p>}
      {data && data.schema !== null && (
        <section aria-label="Suggested fields" className={`stack ${styles.found}`}>
          <h2>Or start with these fields</h2>
          <OfferedFields key={page.id} suggested={data} onTake={change} />
        </section>
      )}
    </div>
  );
}
