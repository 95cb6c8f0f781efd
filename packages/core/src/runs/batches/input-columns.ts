import { AppError, shortenText } from '@gleaner/contracts';
import type { Input } from '../submission/run-inputs.ts';

const MAX_SHOWN_LENGTH = 200;

function refuse(header: readonly string[], what: string): AppError {
  const text = header.join(',');
  const shown = shortenText(text, MAX_SHOWN_LENGTH);
  return new AppError('invalid_request', {
    field: 'file',
    detail: `${what}; its first line is ${JSON.stringify(shown)}`,
    hint: 'The first line names the columns, with commas between them.',
  });
}

/** Finds another separator in a header that has one cell when it is split at commas. */
function findSeparator(header: readonly string[]): string | undefined {
  const [only = '', ...others] = header;
  // Without a header the first line may be a URL, which may contain a semicolon.
  if (others.length > 0 || only.includes('://')) return undefined;
  if (only.includes(';')) return 'semicolons';
  return only.includes('\t') ? 'tabs' : undefined;
}

/**
 * Reads a CSV's header. Case and surrounding blanks of column names don't matter.
 * @param isWhole also give the other columns of a line, beside its URL
 * @returns a function that reads the cells of one line
 * @throws AppError invalid_request for a missing column url when the target takes URLs, a duplicate name, or a separator
 * other than a comma
 */
export function readCsvHeader(
  header: readonly string[],
  takesUrls: boolean,
  isWhole = false,
): (cells: readonly string[], at: number) => Input {
  const separator = findSeparator(header);
  if (separator !== undefined) {
    throw refuse(header, `the CSV must have commas between its columns, not ${separator}`);
  }
  const names = header.map((name) => name.trim().toLowerCase());
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (twice !== undefined) throw refuse(header, `the CSV has the column ${twice} twice`);
  const urlIndex = names.indexOf('url');
  if (takesUrls && urlIndex === -1) throw refuse(header, 'the CSV has no column url');
  return (cells, at) => {
    if (cells.length !== names.length) {
      const fault = `has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, but the header has ${names.length}`;
      return { value: cells.join(','), at, fault };
    }
    if (takesUrls && !isWhole) return { value: cells[urlIndex], at };
    return {
      value: Object.fromEntries(
        names.map((name, index) => [name, cells[index]]).filter(([, cell]) => cell !== ''),
      ),
      at,
    };
  };
}
