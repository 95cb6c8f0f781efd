import { Button, NumberInput, SegmentedControl, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { client, operationQuery, type CallOutput } from '../api/call.ts';
import { plural, formatDuration } from '../format/format.ts';
import { CodeButton } from '../parts/code-button.tsx';
import { CodeBlock } from '../parts/copy.tsx';
import { Form, textInput, withMember } from '../parts/forms.tsx';
import { Prose } from '../parts/prose.tsx';
import { Page, Failure, Loaded } from '../parts/page.tsx';
import { apiSnippets } from './api-code.ts';
import styles from './apis-page.module.css';

type Api = CallOutput<'getApi'>;

/** The answer of the last try, or the example. */
function Answer({ api, answered }: { api: Api; answered: Answered | undefined }) {
  const [shown, setShown] = useState('answer');
  const isShape = shown === 'shape';
  const value = isShape ? api.output_schema : (answered?.answer ?? api.example.answer);
  return (
    <div className="stack">
      <div className="row">
        <SegmentedControl
          data={[
            { value: 'answer', label: answered ? 'Answer' : 'Example answer' },
            { value: 'shape', label: 'Shape' },
          ]}
          value={shown}
          onChange={setShown}
        />
        {answered && <span className="small soft">{formatDuration(answered.ms)}</span>}
      </div>
      <CodeBlock label={isShape ? 'Shape of the answer' : 'Answer'} text={JSON.stringify(value, null, 2)} />
    </div>
  );
}

interface Answered {
  answer: unknown;
  ms: number;
}

async function tryApi(id: Api['id'], values: FormValues): Promise<Answered> {
  const started = performance.now();
  // The form follows the API's schema, and the service checks the rest.
  const answer: unknown = await client.apis.call(id, values);
  return { answer, ms: performance.now() - started };
}

/** The parts of JSON Schema that the catalogue's inputs use: texts and whole numbers. */
interface InputProperty {
  type?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
}

interface InputSchema {
  properties?: Record<string, InputProperty>;
  required?: string[];
}

type FormValues = Record<string, unknown>;

interface PropertyInputProps {
  label: string;
  property: InputProperty;
  withAsterisk: boolean;
  value: unknown;
  /** Undefined leaves the property out. */
  onChange: (value: unknown) => void;
}

function PropertyInput({ property, value, onChange, ...shared }: PropertyInputProps) {
  const { type, description, minimum, maximum } = property;
  if (type === 'integer')
    return (
      <NumberInput
        {...shared}
        description={description}
        allowDecimal={false}
        min={minimum}
        max={maximum}
        value={typeof value === 'number' ? value : ''}
        onChange={(given) => onChange(given === '' ? undefined : Number(given))}
      />
    );
  return (
    <TextInput
      {...shared}
      description={description}
      {...textInput(typeof value === 'string' ? value : '', (text) => onChange(text || undefined))}
    />
  );
}

function TryIt({ api }: { api: Api }) {
  const navigate = useNavigate();
  const [values, setValues] = useState<FormValues>(api.example.request.query);
  const run = useMutation({ mutationFn: () => tryApi(api.id, values) });
  // The catalogue's schemas are JSON Schema. The form knows a part of it; the server checks the rest.
  const schema = api.input_schema as InputSchema;
  return (
    <div className={`columns ${styles.even}`}>
      <Form className="stack" onSubmit={run.mutate}>
        <p className="soft">
          <Prose text={api.description} />
        </p>
        {Object.entries(schema.properties ?? {}).map(([name, property]) => (
          <PropertyInput
            key={name}
            label={name}
            property={property}
            withAsterisk={schema.required?.includes(name) === true}
            value={values[name]}
            onChange={(value) => setValues(withMember(values, name, value))}
          />
        ))}
        <div className="row wrap">
          <Button type="submit" loading={run.isPending}>
            Run for {plural(api.credits, 'credit')}
          </Button>
          <CodeButton title={api.name} snippets={apiSnippets(location.origin, api.path, values)} />
          <Button
            variant="default"
            onClick={() => void navigate({ to: '/runs/new', search: { api: api.id } })}
          >
            Run over many
          </Button>
        </div>
        <Failure error={run.error} />
      </Form>
      {/* A new answer is shown even if the shape was. */}
      <Answer key={run.data?.ms} api={api} answered={run.data} />
    </div>
  );
}

/** One prebuilt API: a form from its schema, its answer, its code. */
export function ApiPage() {
  const { apiId } = useParams({ from: '/app/apis/$apiId' });
  const query = useQuery({ ...operationQuery('getApi', { params: { id: apiId } }), staleTime: Infinity });
  return (
    <Page
      title={query.data?.name ?? 'API'}
      crumbs={[<Link to="/apis">APIs</Link>]}
      aside={<code className="soft">{query.data?.path}</code>}
      padded
    >
      <Loaded query={query} what="the API">
        {(api) => <TryIt key={api.id} api={api} />}
      </Loaded>
    </Page>
  );
}
