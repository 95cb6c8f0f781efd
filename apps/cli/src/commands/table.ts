/** Formats rows as a text table. Numbers are right-aligned; absent cells are `-`. */
export function formatTable(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const [first] = rows;
  if (!first) return '(none)';
  const names = Object.keys(first);
  const cells = rows.map((row) => names.map((name) => formatCell(row[name])));
  const widths = names.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => (row[column] ?? '').length)),
  );
  const isNumeric = names.map((name) => rows.every((row) => typeof row[name] === 'number'));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return isNumeric[column] === true ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return [line(names), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n');
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
