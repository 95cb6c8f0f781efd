type Cell = string | number;

/** A table for people on standard output: numbers stand right. */
export function printTable(rows: readonly Readonly<Record<string, Cell>>[]): void {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const text = (cell: Cell | undefined): string => (cell === undefined ? '' : String(cell));
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => text(row[name]).length)));
  const line = (cells: readonly (Cell | undefined)[]): string =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return typeof cell === 'number' ? text(cell).padStart(width) : text(cell).padEnd(width);
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width));
  process.stdout.write(
    `${[line(names), line(rule), ...rows.map((row) => line(names.map((name) => row[name])))].join('\n')}\n\n`,
  );
}

/** The result for programs: one JSON line, the last of the output. */
export function printResult(result: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
