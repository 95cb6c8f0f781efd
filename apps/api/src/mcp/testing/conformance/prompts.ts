import {
  acceptedContent,
  completable,
  inputRequired,
  ResourceTemplate,
  type McpServer,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { PNG } from './content-tools.ts';

function user(content: { type: 'text'; text: string }) {
  return { role: 'user' as const, content };
}

function says(text: string) {
  return user({ type: 'text', text });
}

/** The suite's prompts. */
export function registerPrompts(mcp: McpServer): void {
  mcp.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments.' }, () => ({
    messages: [says('This is a simple prompt for testing.')],
  }));
  mcp.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'A prompt with two arguments.',
      argsSchema: z.object({ arg1: completable(z.string(), () => ['paris', 'park']), arg2: z.string() }),
    },
    ({ arg1, arg2 }) => ({ messages: [says(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  mcp.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt with a resource in it.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: {
              uri: resourceUri,
              mimeType: 'text/plain',
              text: 'Embedded resource content for testing.',
            },
          },
        },
        says('Please process the embedded resource above.'),
      ],
    }),
  );
  mcp.registerPrompt('test_prompt_with_image', { description: 'A prompt with an image.' }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
      says('Please analyze the image above.'),
    ],
  }));
  mcp.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'A prompt that asks for its context.' },
    ({ mcpReq }) => {
      const given = acceptedContent<{ context: string }>(mcpReq.inputResponses, 'user_context');
      if (given) return { messages: [says(`Context: ${given.context}`)] };
      return inputRequired({
        inputRequests: {
          user_context: inputRequired.elicit({
            message: 'What context should the prompt use?',
            requestedSchema: {
              type: 'object',
              properties: { context: { type: 'string' } },
              required: ['context'],
            },
          }),
        },
      });
    },
  );
}

/** The suite's resources. */
export function registerTestResources(mcp: McpServer): void {
  mcp.registerResource(
    'static-text',
    'test://static-text',
    { description: 'A text.', mimeType: 'text/plain' },
    ({ href }) => ({
      contents: [
        { uri: href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
      ],
    }),
  );
  mcp.registerResource(
    'static-binary',
    'test://static-binary',
    { description: 'An image.', mimeType: 'image/png' },
    ({ href }) => ({ contents: [{ uri: href, mimeType: 'image/png', blob: PNG }] }),
  );
  mcp.registerResource(
    'watched',
    'test://watched-resource',
    { description: 'A resource to subscribe to.', mimeType: 'text/plain' },
    ({ href }) => ({ contents: [{ uri: href, mimeType: 'text/plain', text: 'It never changes.' }] }),
  );
  mcp.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Data by id.', mimeType: 'application/json' },
    ({ href }, { id }) => ({
      contents: [
        {
          uri: href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
}
