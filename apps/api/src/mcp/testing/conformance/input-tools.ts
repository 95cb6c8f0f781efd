import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type ClientCapabilities,
  type InputRequiredSpec,
  type InputResponseView,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { AddedTool } from '../../build-server.ts';
import { text, tool } from './content-tools.ts';

/** Seals the state that a client carries from round to round. */
export const stateCodec = createRequestStateCodec<{ round: number }>({
  key: 'a key of thirty-two bytes or more, for tests',
});

type Requests = NonNullable<InputRequiredSpec['inputRequests']>;
type Schema = Parameters<typeof inputRequired.elicit>[0]['requestedSchema'];

function objectOf(properties: Record<string, object>, required?: string[]): Schema {
  return { type: 'object', properties, ...(required ? { required } : {}) } as Schema;
}

function elicit(message: string, properties: Record<string, object>) {
  return inputRequired.elicit({
    message,
    requestedSchema: objectOf(properties, Object.keys(properties)),
  });
}

function sample(prompt: string, maxTokens = 100) {
  return inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens,
  });
}

function describe(view: InputResponseView): string {
  switch (view.kind) {
    case 'missing':
      return 'nothing';
    case 'elicit':
      return `action=${view.action}, content=${JSON.stringify(view.content ?? {})}`;
    case 'sampling': {
      const { content } = view.result;
      return Array.isArray(content) || content.type !== 'text' ? 'no text' : content.text;
    }
    case 'roots':
      return JSON.stringify(view.roots);
  }
}

/** Asks for what is missing; answers when the client gave everything. */
function asking(
  requests: (args: Readonly<Record<string, unknown>>, context: ServerContext) => Requests,
  answer: (views: string[]) => string,
  state?: { round: number },
): AddedTool['call'] {
  return async (args, context) => {
    const { inputResponses } = context.mcpReq;
    const inputRequests = requests(args, context);
    const views = Object.keys(inputRequests).map((key) => inputResponse(inputResponses, key));
    if (views.length > 0 && views.every(({ kind }) => kind !== 'missing')) {
      return { content: [text(answer(views.map(describe)))] };
    }
    const requestState = state === undefined ? undefined : await stateCodec.mint(state, context);
    return inputRequired({ inputRequests, ...(requestState === undefined ? {} : { requestState }) });
  };
}

const NAME = { name: { type: 'string' } };

function askName(): Requests {
  return { user_name: elicit('What is your name?', NAME) };
}

function askConfirm(): Requests {
  return { confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) };
}

const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

function titled(noun: string): { const: string; title: string }[] {
  return ['First', 'Second', 'Third'].map((rank, index) => ({
    const: `value${index + 1}`,
    title: `${rank} ${noun}`,
  }));
}

const OPTIONS = ['option1', 'option2', 'option3'];

const ENUMS = {
  untitledSingle: { type: 'string', enum: OPTIONS },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
};

function completed([view]: string[]): string {
  return `Elicitation completed: ${view}`;
}

function askForCapabilities(_args: unknown, { mcpReq }: ServerContext): Requests {
  const envelope: { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined = mcpReq.envelope;
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY];
  return {
    ...(declared?.elicitation ? askName() : {}),
    ...(declared?.sampling ? { greeting: sample('Generate a greeting', 50) } : {}),
  };
}

const multiRound: AddedTool['call'] = async (_args, context) => {
  const { inputResponses } = context.mcpReq;
  const round = context.mcpReq.requestState<{ round: number }>()?.round ?? 0;
  if (round === 2 && acceptedContent(inputResponses, 'step2')) {
    return { content: [text('All rounds are complete.')] };
  }
  const next = round === 1 && acceptedContent(inputResponses, 'step1') ? 2 : 1;
  return inputRequired({
    inputRequests:
      next === 2
        ? { step2: elicit('Step 2: What is your favorite color?', { color: { type: 'string' } }) }
        : { step1: elicit('Step 1: What is your name?', NAME) },
    requestState: await stateCodec.mint({ round: next }, context),
  });
};

/** Tools that ask the client for input: over an open stream in 2025, by a second call in 2026. */
export const inputTools: readonly [string, AddedTool][] = [
  tool(
    'test_sampling',
    asking(
      ({ prompt }) => ({ answer: sample(String(prompt)) }),
      ([said]) => `LLM response: ${said}`,
    ),
    { prompt: { type: 'string' } },
  ),
  tool(
    'test_elicitation',
    asking(
      ({ message }) => ({
        answer: elicit(String(message), {
          username: { type: 'string', description: "User's response" },
          email: { type: 'string', description: "User's email address" },
        }),
      }),
      ([said]) => `User response: ${said}`,
    ),
    { message: { type: 'string' } },
  ),
  tool(
    'test_elicitation_sep1034_defaults',
    asking(
      () => ({
        answer: inputRequired.elicit({ message: 'Check the defaults', requestedSchema: objectOf(DEFAULTS) }),
      }),
      completed,
    ),
  ),
  tool(
    'test_elicitation_sep1330_enums',
    asking(
      () => ({
        answer: inputRequired.elicit({ message: 'Choose', requestedSchema: objectOf(ENUMS) }),
      }),
      completed,
    ),
  ),
  tool(
    'test_missing_capability',
    asking(
      () => ({ answer: sample('Hello') }),
      ([said]) => String(said),
    ),
  ),
  tool('test_streaming_elicitation', asking(askName, completed)),
  tool('test_input_required_result_elicitation', async (_args, { mcpReq }) => {
    const given = acceptedContent<{ name: string }>(mcpReq.inputResponses, 'user_name');
    return given ? { content: [text(`Hello, ${given.name}!`)] } : inputRequired({ inputRequests: askName() });
  }),
  tool(
    'test_input_required_result_sampling',
    asking(
      () => ({ capital_question: sample('What is the capital of France?') }),
      ([said]) => String(said),
    ),
  ),
  tool(
    'test_input_required_result_list_roots',
    asking(
      () => ({ client_roots: inputRequired.listRoots() }),
      ([roots]) => `Roots: ${roots}`,
    ),
  ),
  tool(
    'test_input_required_result_request_state',
    asking(askConfirm, () => 'state-ok', { round: 1 }),
  ),
  tool(
    'test_input_required_result_tampered_state',
    asking(askConfirm, () => 'state-ok', { round: 1 }),
  ),
  tool(
    'test_input_required_result_multiple_inputs',
    asking(
      () => ({
        ...askName(),
        greeting: sample('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      }),
      (said) => said.join('; '),
      { round: 1 },
    ),
  ),
  tool('test_input_required_result_multi_round', multiRound),
  tool(
    'test_input_required_result_capabilities',
    asking(askForCapabilities, (said) => said.join('; ')),
  ),
];
