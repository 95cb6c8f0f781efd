/** Programs over generated clients. Each calls four operations and deletes what it made. */

export const OPENAPI_TYPESCRIPT_PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema';

const { GLEANER_URL: baseUrl = '', GLEANER_API_KEY: key = '' } = process.env;
const client = createClient<paths>({ baseUrl, headers: { 'X-API-Key': key } });

async function main(): Promise<void> {
  const schema: components['schemas']['CreateParserBody']['schema'] = { fields: { title: 'h1' } };
  const { data: parser, error } = await client.POST('/v1/parsers', { body: { name: 'generated', schema } });
  if (!parser) throw new Error(JSON.stringify(error));
  const path = { parserId: parser.id };
  const parsed = await client.POST('/v1/parse/{parserId}', {
    params: { path },
    body: { html: '<h1>Lamp</h1>' },
    bodySerializer: ({ html }: { html: string }) => {
      const form = new FormData();
      form.append('html', new Blob([html]), 'page.html');
      return form;
    },
  });
  const { data: list } = await client.GET('/v1/parsers', { params: { query: { limit: 1 } } });
  const shown: components['schemas']['ListedParser'] | undefined = list?.parsers[0];
  const { response } = await client.DELETE('/v1/parsers/{id}', { params: { path: { id: parser.id } } });
  console.log(JSON.stringify(parsed.data), shown?.name, response.status);
  if (response.status !== 204) throw new Error(String(response.status));
}
void main();
`;

export const HEY_API_PROGRAM = `
import { formDataBodySerializer } from './hey/client';
import { client } from './hey/client.gen';
import { createParser, deleteParser, listParsers, parseHtml } from './hey';
import type { CreateParserBody, ListedParser } from './hey';

const { GLEANER_URL: baseUrl = '', GLEANER_API_KEY: key = '' } = process.env;
client.setConfig({ baseUrl, auth: () => key });

async function main(): Promise<void> {
  const body: CreateParserBody = { name: 'generated', schema: { fields: { title: 'h1' } } };
  const { data: parser, error } = await createParser({ body });
  if (!parser) throw new Error(JSON.stringify(error));
  const parsed = await parseHtml({
    path: { parserId: parser.id },
    body: { html: '<h1>Lamp</h1>' },
  });
  const uploaded = await client.post({
    ...formDataBodySerializer,
    url: '/v1/batches',
    security: [{ name: 'X-API-Key', type: 'apiKey' }],
    headers: { 'Content-Type': null },
    body: {
      target: JSON.stringify({ type: 'parser', parserId: parser.id }),
      dry_run: 'true',
      file: new File(['"https://a.example/"\\n'], 'inputs.ndjson'),
    },
  });
  if (uploaded.response?.status !== 200) throw new Error(JSON.stringify(uploaded.error));
  const { data: list } = await listParsers({ query: { limit: 1 } });
  const shown: ListedParser | undefined = list?.parsers[0];
  const { response } = await deleteParser({ path: { id: parser.id } });
  console.log(JSON.stringify(parsed.data), shown?.name, response?.status);
  if (response?.status !== 204) throw new Error(String(response?.status));
}
void main();
`;

export const PYTHON_PROGRAM = `
import io
import os

from gleaner_client import AuthenticatedClient
from gleaner_client.api.parsers import create_parser, delete_parser, list_parsers
from gleaner_client.api.extraction import parse_html
from gleaner_client.models import CreateParserBody, ParseHtmlFilesBody
from gleaner_client.types import File

client = AuthenticatedClient(
    base_url=os.environ["GLEANER_URL"],
    token=os.environ["GLEANER_API_KEY"],
    prefix="",
    auth_header_name="X-API-Key",
)
body = CreateParserBody.from_dict({"name": "generated", "schema": {"fields": {"title": "h1"}}})
parser = create_parser.sync(client=client, body=body)
page = ParseHtmlFilesBody(html=File(payload=io.BytesIO(b"<h1>Lamp</h1>"), file_name="page.html"))
parsed = parse_html.sync_detailed(parser.id, client=client, body=page)
shown = list_parsers.sync(client=client, limit=1).parsers[0]
deleted = delete_parser.sync_detailed(parser.id, client=client)
print(parsed.content, shown.name, deleted.status_code)
`;
