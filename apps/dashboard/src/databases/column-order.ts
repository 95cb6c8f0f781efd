/** The columns that Gleaner adds to those of the data, such as `_url`. */
export function isOwnColumn(name: string): boolean {
  return name.startsWith('_');
}

/** The columns with the data before those that Gleaner adds: a phone shows two or three. */
export function dataFirst<Column extends { name: string }>(columns: readonly Column[]): Column[] {
  return columns.toSorted((a, b) => Number(isOwnColumn(a.name)) - Number(isOwnColumn(b.name)));
}
