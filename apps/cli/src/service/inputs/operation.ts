import type { SluggedKind } from '@gleaner/contracts/values';

/** A field of an input, which an option or `name=value` gives. */
export interface Field {
  /** Its name after those of the objects around it: `sink.table`. */
  path: string;
  about: string;
  /** `any`: takes several kinds; the text says which. */
  kind: 'text' | 'number' | 'switch' | 'json' | 'any';
  isList?: boolean;
  isNullable?: boolean;
  choices?: readonly string[];
  /** The kind of record that the text names. */
  names?: SluggedKind;
}

/** An object of a body that is one of several, and what tells them apart: `mode: "database"` of a sink. */
export interface Alternatives {
  path: string;
  fitting: readonly { kinds: Readonly<Record<string, unknown>>; members: readonly string[] }[];
}

/** What a command needs of an operation. */
export interface Operation {
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  summary: string;
  params: readonly string[];
  query: readonly Field[];
  /** Absent: it takes none. */
  body?: readonly Field[];
  alternatives?: readonly Alternatives[];
  /** The name of the list that is answered page by page. */
  list?: string;
  isStream?: boolean;
  /** It needs no key. */
  isPublic?: boolean;
  /** A call as the documentation of the API shows it. */
  example: { params: readonly string[]; body?: unknown };
}
