import { Button, SegmentedControl } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { send, type CallOutput } from '../api/call.ts';
import { operationQuery } from '../api/queries.ts';
import { plural } from '../format/number.ts';
import { formatDuration } from '../format/time.ts';
import { CodeDialog, type Snippet } from '../parts/code-dialog.tsx';
import { CodeBlock } from '../parts/copy.tsx';
import { IconCode } from '../parts/icons.ts';
import { Prose } from '../parts/prose.tsx';
import { Page } from '../parts/page.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { codeText, shellText } from '../format/code-text.ts';
import { SchemaForm, type FormValues, type InputSchema } from './schema-form.tsx';

type Api = CallOutput<'getApi'>;

function snippetsOf(api: Api, values: FormValues): Snippet[] {
  const query = new URLSearchParams(
    Object.entries(values).map(([name, value]) => [name, String(value)] as [string, string]),
  );
  const url = `${location.origin}${api.path}?${query.toString()}`;
  return [
    { label: 'curl', text: `curl -s ${shellText(url)} -H "X-API-Key: $GLEANER_KEY"` },
    {
      label: 'Python',
      text: `import os, requests

answer = requests.get(
    ${codeText(location.origin + api.path)},
    params=${codeText(values)},
    headers={"X-API-Key": os.environ["GLEANER_KEY"]},
)
answer.raise_for_status()
print(answer.json())`,
    },
  ];
}

function TryIt({ api }: { api: Api }) {
  const navigate = useNavigate();
  const [values, setValues] = useState<FormValues>(api.example.request.query);
  const [isCodeShown, setCodeShown] = useState(false);
  const [shown, setShown] = useState<'answer' | 'shape'>('answer');
  const run = useMutation({
    mutationFn: async () => {
      const started = performance.now();
      const response = await send(api.path, {
        method: 'POST',
        body: JSON.stringify(values),
        headers: { 'content-type': 'application/json' },
      });
      const answer = (await response.json()) as unknown;
      return { answer, ms: performance.now() - started };
    },
    onSuccess: () => setShown('answer'),
  });
  // The catalogue's schemas are JSON Schema. The form knows a part of it; the server checks the rest.
  const schema = api.input_schema as InputSchema;
  return (
    <div className="columns even">
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
          <Button variant="default" leftSection={<IconCode size={14} />} onClick={() => setCodeShown(true)}>
            Get code
          </Button>
          <Button
            variant="default"
            onClick={() => void navigate({ to: '/runs/new', search: { api: api.id } })}
          >
            Run over many
          </Button>
        </div>
        {run.error !== null && <Failure error={run.error} />}
      </form>
      <div className="stack">
        <div className="row">
          <SegmentedControl
            data={[
              { value: 'answer', label: run.data ? 'Answer' : 'Example answer' },
              { value: 'shape', label: 'Shape' },
            ]}
            value={shown}
            onChange={(value) => setShown(value === 'shape' ? 'shape' : 'answer')}
          />
          {run.data && <span className="small soft">{formatDuration(run.data.ms)}</span>}
        </div>
        <CodeBlock
          label={shown === 'shape' ? 'Shape of the answer' : 'Answer'}
          text={JSON.stringify(
            shown === 'shape' ? api.output_schema : (run.data?.answer ?? api.example.answer),
            null,
            2,
          )}
        />
      </div>
      <CodeDialog
        opened={isCodeShown}
        onClose={() => setCodeShown(false)}
        title={api.name}
        snippets={snippetsOf(api, values)}
      />
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
      crumbs={<Link to="/apis">APIs</Link>}
      aside={<code className="soft">{query.data?.path}</code>}
      padded
    >
      <Loaded query={query} what="the API">
        {(api) => <TryIt key={api.id} api={api} />}
      </Loaded>
    </Page>
  );
}
