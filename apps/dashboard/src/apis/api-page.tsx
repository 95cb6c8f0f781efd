import { Button, SegmentedControl } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { callApi, operationQuery, type CallOutput } from '../api/call.ts';
import { plural, formatDuration } from '../format/format.ts';
import { CodeButton } from '../parts/code-button.tsx';
import { CodeBlock } from '../parts/copy.tsx';
import { Prose } from '../parts/prose.tsx';
import { Page, Failure, Loaded } from '../parts/page.tsx';
import { apiSnippets } from './api-code.ts';
import styles from './apis-page.module.css';
import { SchemaForm, type FormValues, type InputSchema } from './schema-form.tsx';

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
  const answer = await callApi(id, values);
  return { answer, ms: performance.now() - started };
}

function TryIt({ api }: { api: Api }) {
  const navigate = useNavigate();
  const [values, setValues] = useState<FormValues>(api.example.request.query);
  const run = useMutation({ mutationFn: () => tryApi(api.id, values) });
  // The catalogue's schemas are JSON Schema. The form knows a part of it; the server checks the rest.
  const schema = api.input_schema as InputSchema;
  return (
    <div className={`columns ${styles.even}`}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          run.mutate();
        }}
      >
        <p className="soft">
          <Prose text={api.description} />
        </p>
        <SchemaForm schema={schema} values={values} onChange={setValues} />
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
      </form>
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
