import { plural } from '../format/format.ts';

interface WayCount {
  fetched_by: string;
  pages: number;
  credits: number;
}

/** How pages came and what they cost, as words; undefined where nothing was counted. */
export function waysText(ways: readonly WayCount[] = []): string | undefined {
  if (ways.length === 0) return undefined;
  return ways
    .map(
      ({ fetched_by: way, pages, credits }) =>
        `${way}: ${plural(pages, 'page')} for ${plural(credits, 'credit')}`,
    )
    .join('; ');
}

/** The same of each stage that has several ways, after the other words of a run. */
export function stageWaysText({
  stages,
}: {
  stages: readonly { name: string; ways?: readonly WayCount[] | undefined }[];
}): string {
  return stages
    .flatMap(({ name, ways }) => {
      const words = waysText(ways);
      return words === undefined ? [] : [` · ${stages.length > 1 ? `${name}: ` : ''}${words}`];
    })
    .join('');
}
