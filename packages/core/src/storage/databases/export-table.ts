import { stringify } from 'csv-stringify/sync';
import { guardFormula, toCsvCell, exportFile, writeBlocks } from '../exports/export-file.ts';
import { charactersOf, parquetParts } from '../exports/parquet-parts.ts';
import { columnKind, readCell } from '../columns/columns.ts';
import { toSheetCell, type SheetServices } from '../sheets/sheets.ts';
import { createExportLink } from '../exports/export-links.ts';
import type { DatabaseServices } from './database-services.ts';
import { chooseColumns, findTable, openOwnDatabase, readRows, toRecord, type RowPage } from './read-rows.ts';
import { compileFilter } from './row-filter.ts';
import type { Perform } from '../../platform/context.ts';

const FIRST_PAGE_ROWS = 200;
const MOST_ROWS = 5000;
/** The target size of one page of text, regardless of the size of rows. */
const PAGE_CHARACTERS = 1_000_000;

async function* streamPages(
  first: RowPage,
  readPage: (cursor: string, limit: number) => Promise<RowPage>,
): AsyncGenerator<RowPage['rows'], void, undefined> {
  let page = first;
  for (;;) {
    yield page.rows;
    if (!page.hasMore || page.cursor === null) return;
    const perRow = Math.max(1, charactersOf(page.rows) / page.rows.length);
    const limit = Math.min(MOST_ROWS, Math.max(1, Math.floor(PAGE_CHARACTERS / perRow)));
    page = await readPage(page.cursor, limit);
  }
}

/**
 * Streams the whole table by keyset pages. Each page is read after the client received the previous one, so no connection
 * or transaction waits for a slow client. A row that changes meanwhile appears once, in its old or new state.
 */
export const exportTable: Perform<'exportTable', DatabaseServices & SheetServices> = async (
  ctx,
  { params, query },
) => {
  const place = await openOwnDatabase(ctx, params.id);
  const { filter, format, formulas } = query;
  const [table, columns, first] = await place.read(async (tx) => {
    const found = await findTable(tx, place.schema, params.table);
    const chosen = chooseColumns(found, query.columns);
    const options = { filter, columns: chosen, limit: FIRST_PAGE_ROWS };
    return [found, chosen, await readRows(tx, place, found, options)] as const;
  });
  const pages = streamPages(first, (cursor, limit) =>
    place.read((tx) => readRows(tx, place, table, { filter, columns, cursor, limit })),
  );
  if (format === 'xlsx') {
    const toCells = (cells: RowPage['rows'][number]) =>
      columns.map(({ type }, index) => {
        const text = cells[index] ?? null;
        const kind = columnKind(type);
        return toSheetCell(kind === 'number' || kind === 'boolean' ? readCell(text, type) : text);
      });
    const blocks = writeBlocks(pages, (rows) => rows.map(toCells));
    const header = columns.map(({ name }) => name);
    return exportFile(params.table, query, await ctx.services.sheets.write(header, blocks, ctx));
  }
  if (format === 'parquet') return exportFile(params.table, query, parquetParts(columns, pages));
  if (format === 'ndjson') {
    const toLine = (cells: RowPage['rows'][number]): string =>
      `${JSON.stringify(toRecord(columns, cells))}\n`;
    return exportFile(
      params.table,
      query,
      writeBlocks(pages, (rows) => rows.map(toLine).join('')),
    );
  }
  const isGuarded = formulas === 'guard';
  const toCells = (cells: RowPage['rows'][number]) =>
    isGuarded ? columns.map(({ type }, index) => toCsvCell(cells[index] ?? null, type)) : cells;
  const head = stringify([columns.map(({ name }) => (isGuarded ? guardFormula(name) : name))]);
  return exportFile(
    params.table,
    query,
    writeBlocks(pages, (rows) => stringify(rows.map(toCells)), head),
  );
};

/** @throws AppError as `exportTable` */
export const createTableLink: Perform<'createTableLink', DatabaseServices> = async (
  ctx,
  { params, body },
) => {
  const place = await openOwnDatabase(ctx, params.id);
  await place.read(async (tx) => {
    const table = await findTable(tx, place.schema, params.table);
    chooseColumns(table, body.columns);
    compileFilter(body.filter, table);
  });
  return createExportLink(ctx, { operation: 'exportTable', params, query: body });
};
