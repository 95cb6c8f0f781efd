import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/** One part of a multipart body, in the order in which it arrives; a file must be read before the next part comes. */
export type UploadPart =
  | { kind: 'field'; name: string; value: string }
  | {
      kind: 'file';
      name: string;
      filename: string | undefined;
      contentType: string | undefined;
      stream: AsyncIterable<Uint8Array>;
    };

/** One server-sent event. */
export interface ServerEvent {
  id?: string;
  event: string;
  data: unknown;
}

/** A streamed answer: text in one of the operation's media types. */
export interface StreamAnswer {
  contentType: string;
  filename?: string;
  stream: AsyncIterable<string | Uint8Array>;
}

/** An answer that is JSON text already, made by the extraction threads: it is sent as it is. */
export interface JsonText {
  jsonText: string;
}

export type Answer =
  | { kind: 'json'; status: 200 | 201 | 202; schema: z.ZodType }
  | { kind: 'json-text'; status: 200; schema: z.ZodType }
  | { kind: 'empty'; status: 204 }
  | { kind: 'stream'; status: 200; contentTypes: readonly string[] }
  | { kind: 'events'; status: 200; schema: z.ZodType };

export interface Upload {
  /** Name → what the part holds; files are marked binary in OpenAPI. */
  readonly parts: Readonly<Record<string, { description: string; binary: boolean; required: boolean }>>;
  readonly bodyLimitBytes: number;
}

export type Tag =
  | 'Extraction'
  | 'Parsers'
  | 'Jobs'
  | 'Batches'
  | 'Pages'
  | 'Databases'
  | 'Crons'
  | 'Webhooks'
  | 'Credits'
  | 'Prebuilt APIs'
  | 'Catalogue';

/**
 * One API call, described once. The Fastify route, its validation, the OpenAPI document, the MCP tool and the
 * client's types all follow from this object.
 */
export interface Operation {
  /** camelCase, unique: the OpenAPI operationId. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `{name}` for parameters: `/v1/parsers/{id}`. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** `key`: an API key; `public`: none, limited per IP. */
  readonly auth: 'key' | 'public';
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** A JSON body. With `upload` as well, either is taken, told apart by Content-Type. */
  readonly body?: z.ZodType;
  readonly upload?: Upload;
  /** Largest JSON body in bytes; 1 MiB when absent. */
  readonly bodyLimitBytes?: number;
  readonly answer: Answer;
  /** Beyond those that every operation can answer (400, 401, 429, 500, 503). */
  readonly errors: readonly ErrorCode[];
  /** What one success costs: a number, or `scrape` for the price table. Metered answers carry the X-Credits headers. */
  readonly credits?: number | 'scrape';
  /**
   * Set when the operation may hold a database connection for seconds: so much of it runs within the account's fair
   * share of connections (4 at once in a process, the rest waits). `call`: from its start to its answer. `each-page`:
   * that, and later each page of its streamed answer alone, so that a client that reads slowly holds none.
   */
  readonly fairShare?: 'call' | 'each-page';
  /** True on POSTs that create: they honour Idempotency-Key. */
  readonly creates?: boolean;
  /** True when the answer shows a secret: what Idempotency-Key keeps of it is encrypted. */
  readonly showsSecret?: boolean;
  /** Name of the MCP tool made of this operation. */
  readonly tool?: string;
}

/** Keeps the literal types of the description, so that a function paired with it is checked against its schemas. */
export function defineOperation<const O extends Operation>(operation: O): O {
  return operation;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a core function is given: every part already validated. */
export interface OperationInput<O extends Operation> {
  params: Parsed<O['params']>;
  query: Parsed<O['query']>;
  body: O['upload'] extends Upload ? Parsed<O['body']> | undefined : Parsed<O['body']>;
  upload: O['upload'] extends Upload ? AsyncIterable<UploadPart> | undefined : undefined;
}

/** What a core function must give back. */
export type OperationOutput<O extends Operation> = O['answer'] extends {
  kind: 'json';
  schema: infer S extends z.ZodType;
}
  ? z.input<S>
  : O['answer'] extends { kind: 'json-text' }
    ? JsonText
    : O['answer'] extends { kind: 'stream' }
      ? StreamAnswer
      : O['answer'] extends { kind: 'events' }
        ? AsyncIterable<ServerEvent>
        : void;
