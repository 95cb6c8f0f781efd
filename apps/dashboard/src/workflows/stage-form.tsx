import { ActionIcon, Button, NumberInput, Select, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '../parts/icons.ts';
import { SinkFields } from '../targets/sink-fields.tsx';
import { keyOfTarget, targetOfKey } from '../targets/target.ts';
import { TargetSelect } from '../targets/target-select.tsx';
import { sourcesOf, withSources, type Source, type Stage } from './stages.ts';

interface StageFormProps {
  stages: readonly Stage[];
  index: number;
  onChange: (stage: Stage) => void;
  onRemove: () => void;
}

const NAME = /^[a-z_][a-z0-9_]{0,62}$/;

function SourceLine({
  source,
  choices,
  isApi,
  onChange,
  onRemove,
}: {
  source: Source;
  choices: readonly { value: string; label: string }[];
  isApi: boolean;
  onChange: (source: Source) => void;
  onRemove: () => void;
}) {
  return (
    <div className="row" style={{ alignItems: 'flex-end' }}>
      <Select
        aria-label="Takes from"
        data={[...choices]}
        value={source.stage}
        allowDeselect={false}
        onChange={(stage) => stage !== null && onChange({ ...source, stage })}
        w={130}
      />
      <TextInput
        aria-label="Path in its results"
        className="grow"
        placeholder="$.items[*].url"
        classNames={{ input: 'mono' }}
        value={source.path}
        onChange={(event) => onChange({ ...source, path: event.currentTarget.value })}
      />
      {isApi && (
        <TextInput
          aria-label="As parameter"
          placeholder="parameter"
          w={110}
          value={source.as ?? ''}
          onChange={(event) => onChange({ ...source, as: event.currentTarget.value })}
        />
      )}
      <ActionIcon aria-label="Remove this source" onClick={onRemove}>
        <IconTrash size={14} />
      </ActionIcon>
    </div>
  );
}

/** One stage of a workflow: its target, its inputs, and its sink. */
export function StageForm({ stages, index, onChange, onRemove }: StageFormProps) {
  const stage = stages[index];
  if (!stage) return null;
  const sources = sourcesOf(stages, index);
  const isApi = stage.target.type === 'api';
  const choices = stages
    .slice(0, index + 1)
    .map(({ name }, at) => ({ value: name, label: at === index ? `${name} (itself)` : name }));
  const setSources = (next: readonly Source[]): void => onChange(withSources(stage, next));
  const known = stage.sink?.mode === 'database' ? stage.sink : undefined;
  const isNameTaken = stages.some(({ name }, at) => at !== index && name === stage.name);
  return (
    <div className="stack">
      <div className="row" style={{ alignItems: 'flex-start' }}>
        <TextInput
          label="Name of the stage"
          className="grow"
          value={stage.name}
          error={
            isNameTaken
              ? 'another stage has this name'
              : NAME.test(stage.name)
                ? undefined
                : 'small letters, digits and _'
          }
          onChange={(event) => onChange({ ...stage, name: event.currentTarget.value })}
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
          onChange={(limit) => {
            const { limit: _limit, ...rest } = stage;
            onChange(typeof limit === 'number' ? { ...rest, limit } : rest);
          }}
        />
      </div>
      <TargetSelect
        label="Read each page with"
        value={keyOfTarget(stage.target)}
        onChange={(key) => {
          const target = targetOfKey(key);
          if (target && target.type !== 'workflow') onChange({ ...stage, target });
        }}
      />
      <div className="stack" style={{ gap: 6 }}>
        <h3>{index === 0 ? 'Takes the inputs of the run, and' : 'Takes'}</h3>
        {sources.map((source, at) => (
          <SourceLine
            key={at}
            source={source}
            choices={choices}
            isApi={isApi}
            onChange={(next) => setSources(sources.with(at, next))}
            onRemove={() => setSources(sources.toSpliced(at, 1))}
          />
        ))}
        <div>
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconPlus size={13} />}
            onClick={() =>
              setSources([...sources, { stage: stages[index - 1]?.name ?? stage.name, path: '$.' }])
            }
          >
            {index === 0 ? 'Follow its own results, such as the next page' : 'Source'}
          </Button>
        </div>
      </div>
      <SinkFields
        value={{ database: known?.database ?? null, table: known?.table ?? '' }}
        without="this run, for 24 hours"
        onChange={({ database, table }) => {
          const { sink: _sink, ...rest } = stage;
          onChange(
            database === null
              ? rest
              : {
                  ...rest,
                  sink: { contract: 'evolve', nulls: 'keep', ...known, mode: 'database', database, table },
                },
          );
        }}
      />
      <div>
        <Button
          variant="default"
          leftSection={<IconTrash size={14} />}
          disabled={stages.length === 1}
          onClick={onRemove}
        >
          Remove this stage
        </Button>
      </div>
    </div>
  );
}
