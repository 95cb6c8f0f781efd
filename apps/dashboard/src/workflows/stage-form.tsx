import { ActionIcon, Autocomplete, NumberInput, Select, TextInput } from '@mantine/core';
import { FetchFields } from '../fetching/fetch-fields.tsx';
import { ActionButton } from '../parts/buttons.tsx';
import { QuietButton, textInput } from '../parts/forms.tsx';
import { IconTrash } from '../parts/icons.ts';
import { historyChoiceOf } from '../targets/sink.ts';
import { SinkFields } from '../targets/sink-fields.tsx';
import { keyOfTarget, targetOfKey } from '../targets/target.ts';
import { TargetSelect } from '../targets/target-select.tsx';
import {
  hasTarget,
  nameFault,
  sourcesOf,
  useLinkPaths,
  withSink,
  withSources,
  type Source,
  type Stage,
  type TargetStage,
} from './stages.ts';

interface StageFormProps {
  stages: readonly Stage[];
  index: number;
  /** The answer to the last try, which may refuse a setting. */
  error: unknown;
  onChange: (stage: Stage) => void;
  onRemove: () => void;
}

interface SourceLineProps {
  source: Source;
  /** The stage that it names. */
  from: Stage | undefined;
  choices: readonly { value: string; label: string }[];
  isApi: boolean;
  onChange: (source: Source) => void;
  onRemove: () => void;
}

function SourceLine({ source, from, choices, isApi, onChange, onRemove }: SourceLineProps) {
  const paths = useLinkPaths(from, source.route);
  return (
    <div className="row bottom">
      <Select
        aria-label="Takes from"
        data={[...choices]}
        value={source.stage}
        allowDeselect={false}
        onChange={(stage) => stage !== null && onChange({ ...source, stage })}
        w={130}
      />
      <Autocomplete
        aria-label="Path in its results"
        className="grow"
        placeholder="$.items[*].url"
        classNames={{ input: 'mono', option: 'mono' }}
        // All of them, whatever is written there.
        data={[...paths]}
        filter={({ options }) => options}
        value={source.path}
        onChange={(path) => onChange({ ...source, path })}
      />
      {isApi && (
        <TextInput
          aria-label="As parameter"
          placeholder="parameter"
          w={110}
          {...textInput(source.as ?? '', (as) => onChange({ ...source, as }))}
        />
      )}
      <ActionIcon aria-label="Remove this source" onClick={onRemove}>
        <IconTrash size={14} />
      </ActionIcon>
    </div>
  );
}

interface TargetFieldsProps extends Omit<StageFormProps, 'onRemove'> {
  stage: TargetStage;
}

/** Where a stage takes its inputs from. */
function Sources({ stages, stage, index, onChange }: TargetFieldsProps) {
  const sources = sourcesOf(stages, index);
  const choices = stages
    .slice(0, index + 1)
    .map(({ name }, at) => ({ value: name, label: at === index ? `${name} (itself)` : name }));
  const setSources = (next: readonly Source[]): void => onChange(withSources(stage, next));
  const added = { stage: stages[index - 1]?.name ?? stage.name, path: '$.' };
  return (
    <div className="stack tight">
      <h3>{index === 0 ? 'Takes the inputs of the run and' : 'Takes'}</h3>
      {sources.map((source, at) => (
        <SourceLine
          key={at}
          source={source}
          from={stages.find(({ name }) => name === source.stage)}
          choices={choices}
          isApi={stage.target.type === 'api'}
          onChange={(next) => setSources(sources.with(at, next))}
          onRemove={() => setSources(sources.toSpliced(at, 1))}
        />
      ))}
      <div>
        <QuietButton onClick={() => setSources([...sources, added])}>
          {index === 0 ? 'Follow its own results, such as the next page' : 'Source'}
        </QuietButton>
      </div>
    </div>
  );
}

/** What a stage with a target runs, what it takes, and where its rows go. */
function TargetFields(props: TargetFieldsProps) {
  const { stage, index, error, onChange } = props;
  const known = stage.sink?.mode === 'database' ? stage.sink : undefined;
  return (
    <>
      <TargetSelect
        label="Read each page with"
        value={keyOfTarget(stage.target)}
        onChange={(key) => {
          const target = targetOfKey(key);
          if (target && target.type !== 'workflow') onChange({ ...stage, target });
        }}
      />
      <Sources {...props} />
      {stage.target.type === 'parser' && (
        <FetchFields
          key={index}
          config={stage.scrape_config ?? {}}
          onChange={(config) => onChange({ ...stage, scrape_config: config })}
          error={error}
          field={`stages[${index}].scrape_config`}
          otherwise="as the parser says"
        />
      )}
      <SinkFields
        value={{
          database: known?.database ?? null,
          table: known?.table ?? '',
          key: known?.key,
          types: known?.types,
          history: known && historyChoiceOf(known),
        }}
        withHistory
        without="this run, for 24 hours"
        onChange={(choice) => onChange(withSink(stage, choice))}
      />
    </>
  );
}

/** One stage of a workflow: its target, its inputs, and its sink. The rules of a crawl are changed through the API. */
export function StageForm({ stages, index, error, onChange, onRemove }: StageFormProps) {
  const stage = stages[index];
  if (!stage) return null;
  return (
    <div className="stack">
      <div className="row top">
        <TextInput
          label="Name of the stage"
          className="grow"
          {...textInput(stage.name, (name) => onChange({ ...stage, name }))}
          error={nameFault(stages, index)}
        />
        <NumberInput
          label="At most"
          placeholder="no limit"
          suffix=" pages"
          min={1}
          allowDecimal={false}
          hideControls
          w={110}
          value={stage.limit ?? ''}
          onChange={(limit) => onChange({ ...stage, limit: typeof limit === 'number' ? limit : undefined })}
        />
      </div>
      {hasTarget(stage) ? (
        <TargetFields {...{ stages, stage, index, error, onChange }} />
      ) : (
        <p className="soft">This stage crawls a site. Its rules and routes are changed through the API.</p>
      )}
      <div>
        <ActionButton icon={IconTrash} disabled={stages.length === 1} onClick={onRemove}>
          Remove this stage
        </ActionButton>
      </div>
    </div>
  );
}
