import { API_IDS, type ApiId, PREBUILT_APIS } from '@gleaner/contracts';
import type { z } from 'zod';
import type { Tools, ToolText } from './tool-table.ts';

/** Tools of the group `apis`, before one tool per prebuilt API. */
export const CATALOGUE_TOOLS = {
  listApis: {
    title: 'List prebuilt APIs',
    text: 'The prebuilt APIs, for sites that need no parser. Run one with call_api. Free.',
  },
  getApi: {
    title: 'Get a prebuilt API',
    text: 'The parameters, result and an example of one prebuilt API. Free.',
  },
} satisfies Tools;

function parametersOf(id: ApiId): string {
  const shape: Readonly<Record<string, z.ZodType>> = PREBUILT_APIS[id].input.shape;
  return Object.entries(shape)
    .map(([name, schema]) => (schema.safeParse(undefined).success ? `${name}?` : name))
    .join(', ');
}

/** `call_api`: every prebuilt API through one tool. */
export const CALL_API: ToolText = {
  title: 'Call a prebuilt API',
  text: `Answers with data of a supported site; an error names what is wrong. Costs 1 credit; a failure costs nothing. The APIs and their input: ${API_IDS.map((id) => `${id}(${parametersOf(id)})`).join(', ')}.`,
  showsPages: true,
};

/** A tool of the group `apis`: one per prebuilt API. */
export function apiTool(id: ApiId): ToolText {
  const { name: title, description } = PREBUILT_APIS[id];
  return { title, text: `${description} Costs 1 credit; a failure costs nothing.`, showsPages: true };
}
