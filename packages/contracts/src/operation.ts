import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/** One part of a multipart body, in order of arrival. A file must be read before the next part is available. */
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

/** A streamed response: text in one of the operation's media types. */
export interface StreamAnswer {
  contentType: string;
  filename?: string;
  stream: AsyncIterable<string | Uint8Array>;
}

/** A response that the extraction threads already wrote as JSON text. It is sent unchanged. */
export interface JsonText {
  jsonText: string;
}

export type Answer =
  | {
      kind: 'json';
      status: 200 | 201 | 202;
      schema: z.ZodType;
      /** Media types in which it answers a stream instead, when it is asked for. Its calls count as open streams. */
      streams?: readonly string[];
      /** With `dry_run`: what is answered instead, with 200, and what is answered otherwise. */
      dryRun?: { instead: z.ZodType; otherwise: z.ZodType };
    }
  | { kind: 'json-text'; status: 200; schema: z.ZodType }
  | { kind: 'empty'; status: 204 }
  | { kind: 'stream'; status: 200; contentTypes: readonly string[] }
  | { kind: 'events'; status: 200; schema: z.ZodType };

export interface Upload {
  /** The parts by name. Files are marked binary in OpenAPI. */
  readonly parts: Readonly<Record<string, { description: string; binary: boolean; required: boolean }>>;
  readonly bodyLimitBytes: number;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export type Tag =
  | 'Extraction'
  | 'Parsers'
  | 'Jobs'
  | 'Batches'
  | 'Pages'
  | 'Workflows'
  | 'Crawls'
  | 'Databases'
  | 'Crons'
  | 'Webhooks'
  | 'Alerts'
  | 'Credits'
  | 'Prebuilt APIs'
  | 'Overview'
  | 'Catalogue'
  | 'Keys'
  | 'Session'
  | 'Operator';

/**
 * The definition of one API call. The Fastify route, its validation, the OpenAPI document, the MCP tool and the client's
 * types are all derived from this object.
 */
export interface Operation {
  /** camelCase, unique: the OpenAPI operationId. */
  readonly id: string;
  readonly method: Method;
  /** With `{name}` for parameters: `/v1/parsers/{id}`. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /**
   * Who may call. `key`: an API key or the dashboard's session of an account; `public`: anybody, limited per IP. The
   * others are the dashboard's own and absent from OpenAPI and MCP: `session`: only a session of an account; `operator`:
   * a session of the operator; `page`: the dashboard's pages before sign-in, limited per IP.
   */
  readonly auth: 'key' | 'public' | 'session' | 'operator' | 'page';
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** A JSON body. With `upload` as well, Content-Type decides between them. */
  readonly body?: z.ZodType;
  readonly upload?: Upload;
  /** Largest JSON body in bytes; 1 MiB when absent. */
  readonly bodyLimitBytes?: number;
  /** Most items, members, lists and objects in a JSON body, at all levels together; 200,000 when absent. */
  readonly bodyValues?: number;
  readonly answer: Answer;
  /**
   * Errors beyond those that every operation has (400, 401, 429, 500, 503) and those that follow from the rest of the
   * definition, such as `not_found` from an id in the path; none when a definition leaves them out.
   */
  readonly errors: readonly ErrorCode[];
  /** Price of one success: a number, or `scrape` for the price table. Metered responses have the X-Credits headers. */
  readonly credits?: number | 'scrape';
  /**
   * Set when the operation may hold a database connection for seconds. The named part of it then runs within the
   * account's fair share of connections (4 at a time per process; the rest waits). `call`: from its start to its
   * response. `each-page`: also each page of its streamed response, separately, so that a slow client holds none.
   */
  readonly fairShare?: 'call' | 'each-page';
  /** True on POSTs that create: they honour Idempotency-Key. */
  readonly creates?: boolean;
  /** True when it stores what stays and neither creates nor is a PUT, both of which do. */
  readonly stores?: boolean;
  /** True when the response shows a secret. Idempotency-Key then stores the response encrypted. */
  readonly showsSecret?: boolean;
  /** Name of the MCP tool for this operation. */
  readonly tool?: string;
}

/** Whether programs may call an operation, so that OpenAPI describes it. */
export function isForPrograms({ auth }: Operation): boolean {
  return auth === 'key' || auth === 'public';
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** The input of a core function, with every part validated. */
export interface OperationInput<O extends Operation> {
  params: Parsed<O['params']>;
  query: Parsed<O['query']>;
  body: O['upload'] extends Upload ? Parsed<O['body']> | undefined : Parsed<O['body']>;
  upload: O['upload'] extends Upload ? AsyncIterable<UploadPart> | undefined : undefined;
}

/** The return type of a core function. */
export type OperationOutput<O extends Operation> = O['answer'] extends {
  kind: 'json';
  schema: infer S extends z.ZodType;
}
  ? O['answer'] extends { streams: readonly string[] }
    ? z.input<S> | StreamAnswer
    : z.input<S>
  : O['answer'] extends { kind: 'json-text' }
    ? JsonText
    : O['answer'] extends { kind: 'stream' }
      ? StreamAnswer
      : O['answer'] extends { kind: 'events' }
        ? AsyncIterable<ServerEvent>
        : void;
