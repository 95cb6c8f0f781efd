interface Line {
  label?: string | undefined;
  description?: string | undefined;
  keywords?: string | string[] | undefined;
}

interface Group<One extends Line> {
  group: string;
  actions: One[];
}

/** The group of searches: each finds any text, so they come after what has it. */
export const SEARCHES = 'Search in rows';

/** 0: the line's name has the text; 1: its other words have it. Undefined: nothing has. */
function rankOf({ label, description, keywords }: Line, text: string): number | undefined {
  const has = (words: string | string[] = ''): boolean => String(words).toLowerCase().includes(text);
  if (has(label)) return 0;
  return has(description) || has(keywords) ? 1 : undefined;
}

/** The lines of the palette that have a text: in each group, and of the groups, first what has it in its name. */
export function filterGroups<One extends Line>(query: string, groups: readonly Group<One>[]): Group<One>[] {
  const text = query.trim().toLowerCase();
  return groups
    .map(({ group, actions }) => {
      const found = actions
        .flatMap((action) => {
          const rank = rankOf(action, text);
          return rank === undefined ? [] : [{ action, rank }];
        })
        .sort((a, b) => a.rank - b.rank);
      const rank = group === SEARCHES ? Infinity : (found[0]?.rank ?? Infinity);
      return { group, actions: found.map(({ action }) => action), rank };
    })
    .filter(({ actions }) => actions.length > 0)
    .sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank))
    .map(({ group, actions }) => ({ group, actions }));
}
