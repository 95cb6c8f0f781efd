import type { FieldType } from '@gleaner/contracts';
import { toStorableText, toStorableValue } from '@gleaner/contracts/text';
import { resolveUrl } from '@gleaner/html';
import type { Scalar } from '../transform/step.ts';
import { parseJsonText } from '../json/loose-value.ts';
import { partOfObject } from '../json/objects-as-values.ts';
import { readBoolean } from '../values/boolean.ts';
import { createDateReader } from '../values/date.ts';
import { createDurationReader } from '../values/duration.ts';
import { createMoneyReader } from '../values/money.ts';
import { createNumberReader, readInteger, type NumberContext } from '../values/number.ts';
import { readRating } from '../values/rating.ts';
import { isSourceSet, largestOf } from '../pictures/source-set.ts';
import { ABSENT, invalidReading, valueReading, type Reading } from '../values/reading.ts';
import { baseOf, columnOf, languageOf, type PageState } from './page-state.ts';
import type { CompiledSource } from './types.ts';

type Read = CompiledSource['read'];

const textReader: Read = (value) => {
  const text = toStorableText(String(value));
  return text === '' ? ABSENT : valueReading(text);
};

const SCRIPT_LINK = /^(?:javascript|vbscript):/i;

const urlReader: Read = (value, state) => {
  const written = toStorableText(String(value)).trim();
  const text = isSourceSet(written) ? (largestOf(written) ?? '') : written;
  if (text === '' || SCRIPT_LINK.test(text)) return ABSENT;
  const url = resolveUrl(text, baseOf(state), state.document.encoding);
  // Links that run a script have no target. The check uses the parsed URL, because browsers accept `java\nscript:` too.
  if (url !== undefined && SCRIPT_LINK.test(url)) return ABSENT;
  return url === undefined ? invalidReading(text, 'is not a URL') : valueReading(url);
};

const jsonReader: Read = (value) => {
  if (typeof value !== 'string') return valueReading(value);
  if (value.trim() === '') return ABSENT;
  const json = parseJsonText(value.trim());
  return json === undefined ? invalidReading(value, 'is not JSON') : valueReading(toStorableValue(json));
};

const booleanReader: Read = (value) =>
  typeof value === 'boolean' ? valueReading(value) : readBoolean(String(value));

/** The language and the other values say how a text that people read is written. */
function contextOf(state: PageState, isProse: boolean): NumberContext {
  return isProse ? { language: languageOf(state), column: columnOf(state) } : { isData: true };
}

export interface TypeReading {
  type: FieldType;
  locale: string | undefined;
  format: string | undefined;
  /** Whether people read the text on the page; attributes and data have a notation of their own. */
  isProse: boolean;
}

/** Types whose values may be the JSON text of an object. */
const TEXTS = new Set<FieldType>([
  'string',
  'html',
  'text',
  'markdown',
  'json',
  'table',
] satisfies FieldType[]);

/** Converts one value to the type. An unreadable text is `invalid`, an empty one `absent`. */
export function createTypeReader(reading: TypeReading): Read {
  const read = createReader(reading);
  if (TEXTS.has(reading.type)) return read;
  return (value, state) => {
    const part = partOfObject(reading.type, value);
    return typeof part === 'object' ? part : read(part, state);
  };
}

function createReader({ type, locale, format, isProse }: TypeReading): Read {
  switch (type) {
    case 'string':
    case 'html':
    case 'text':
    case 'markdown': {
      return textReader;
    }
    case 'number':
    case 'integer': {
      const readText = createNumberReader(locale);
      const read = (value: Scalar, state: PageState): Reading<number> =>
        typeof value === 'number' ? valueReading(value) : readText(String(value), contextOf(state, isProse));
      return type === 'number'
        ? read
        : (value, state) => readInteger(String(value), () => read(value, state));
    }
    case 'money': {
      const read = createMoneyReader(locale);
      return (value, state) =>
        read(typeof value === 'number' ? value : String(value), {
          ...contextOf(state, isProse),
          spoken: languageOf(state),
          url: state.page.finalUrl ?? state.page.url,
        });
    }
    case 'duration': {
      const read = createDurationReader(locale);
      return (value, state) => read(String(value), isProse ? languageOf(state) : undefined);
    }
    case 'rating': {
      return (value) => readRating(String(value));
    }
    case 'boolean': {
      return booleanReader;
    }
    case 'date':
    case 'datetime': {
      const read = createDateReader({ kind: type, locale, format });
      return (value, state) =>
        read(String(value), {
          ...contextOf(state, isProse),
          fetchedAt: state.page.fetchedAt,
        });
    }
    case 'url': {
      return urlReader;
    }
    case 'json': {
      return jsonReader;
    }
    case 'table': {
      return (value) => invalidReading(String(value), 'is not a <table>');
    }
  }
}
