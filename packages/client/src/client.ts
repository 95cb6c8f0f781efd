import { buildCall, buildMethods, type CallOperation } from './build-methods.ts';
import type { Call, DryRunOr } from './call.ts';
import { ROUTES } from './contracts.ts';
import { createExtract, type Extract } from './extract.ts';
import type {
  Batch,
  CreateBatchInput,
  CreateParserInput,
  DryRun,
  GetBatchResultsAnswer,
  GetBatchResultsQuery,
  Methods,
  Parser,
  ParserSchema,
} from './generated/operations.ts';
import type { Listing } from './listing.ts';
import { toNdjson } from './multipart.ts';
import type { CallOptions, CreateOptions } from './route.ts';
import { createTable, type Table } from './table.ts';
import { createTransport, type TransportOptions } from './transport.ts';

export type ClientOptions = TransportOptions;

/** The fields of a batch besides its inputs. */
export type BatchFields = Omit<CreateBatchInput, 'urls' | 'inputs'>;

/** The inputs of a batch: URLs, or objects of a prebuilt API's parameters. */
export type BatchInputs =
  | AsyncIterable<string | { readonly [name: string]: unknown }>
  | Iterable<string | { readonly [name: string]: unknown }>;

export type BatchResult<Data> = Omit<GetBatchResultsAnswer['results'][number], 'data'> & { data: Data };
export type BatchResultsPage<Data> = Omit<GetBatchResultsAnswer, 'results'> & {
  results: BatchResult<Data>[];
};

export interface Batches extends Omit<Methods['batches'], 'results'> {
  /** Creates a batch of up to 1,000,000 inputs. They are streamed, so memory use stays constant. */
  upload<const D extends boolean = false>(
    fields: BatchFields & { readonly dry_run?: D },
    inputs: BatchInputs,
    options?: CreateOptions,
  ): Call<DryRunOr<D, DryRun, Batch>>;
  /**
   * Results of the succeeded inputs of a batch, in input order. Iteration while the batch runs waits for the remaining
   * ones.
   */
  results<Data = unknown>(
    id: string,
    query?: GetBatchResultsQuery,
    options?: CallOptions,
  ): Listing<BatchResultsPage<Data>, BatchResult<Data>>;
}

export interface Parsers extends Omit<Methods['parsers'], 'create'> {
  /** Create a parser. The record keeps the schema's type, so that the parser's data is typed. */
  create<const S extends ParserSchema>(
    body: Omit<CreateParserInput, 'schema'> & { schema: S },
    options?: CreateOptions,
  ): Call<Omit<Parser, 'schema'> & { schema: S }>;
}

export type Client = Omit<Methods, 'batches' | 'parsers'> &
  Extract & {
    readonly batches: Batches;
    readonly parsers: Parsers;
    readonly call: CallOperation;
    /** A table of a database, by the database's id or slug. */
    table(database: string, table: string): Table;
  };

/** Creates a client of the service at `baseUrl`. It sends nothing before the first call. @throws TypeError when that is no address */
export function createClient(options: ClientOptions): Client {
  const send = createTransport(options);
  const methods = buildMethods(ROUTES, send);
  const batches: Omit<Batches, 'results'> = {
    ...methods.batches,
    upload: (fields, inputs, callOptions) =>
      methods.batches.createFromFile(
        {
          ...fields,
          file: { content: toNdjson(inputs), filename: 'inputs.ndjson', contentType: 'application/x-ndjson' },
        },
        callOptions,
      ),
  };
  // The service returns the schema and the results unchanged; only the types are more specific.
  return {
    ...methods,
    ...createExtract(methods),
    call: buildCall(ROUTES, send),
    batches,
    table: (database: string, name: string) => createTable(methods.databases, database, name),
  } as Client;
}
