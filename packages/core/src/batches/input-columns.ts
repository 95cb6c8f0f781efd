import { AppError } from '@gleaner/contracts';
import type { Input } from '../runs/run-inputs.ts';

const MAX_SHOWN_LENGTH = 200;

function refuse(header: readonly string[], what: string): AppError {
  const text = header.join(',');
  const shown = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
  return new AppError('invalid_request', {
    field: 'file',
    detail: `${what}; its first line is ${JSON.stringify(shown)}`,
    hint: 'The first line names the columns, with commas between them.',
  });
}

/** Another separator, in a header that is one cell for a reader of commas. */
function findSeparator(header: readonly string[]): string | undefined {
  const [only = '', ...others] = header;
  // A URL, where a header is missing, may hold a semicolon.
  if (others.length > 0 || only.includes('://')) return undefined;
  if (only.includes(';')) return 'semicolons';
  return only.includes('\t') ? 'tabs' : undefined;
}

/**
 * How the lines below a CSV's header are read. Names of columns count without their case and the blanks around them.
 * @throws AppError invalid_request: no column url where URLs are taken, a name twice, another separator than commas
 */
export function readCsvHeader(
  header: readonly string[],
  takesUrls: boolean,
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
    if (takesUrls) return { value: cells[urlIndex], at };
    return {
      value: Object.fromEntries(
        names.map((name, index) => [name, cells[index]]).filter(([, cell]) => cell !== ''),
      ),
      at,
    };
  };
}
